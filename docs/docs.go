// Package docs carries into the binary what the documentation has that a program shows
// without a network, or applies. It holds files only.
package docs

import "embed"

// Pages are those of the steps, and those that say what the words of an error mean, by
// their paths below docs.
//
//go:embed steps/*.md owners/*.md after-a-restore.md controller.md exit-codes.md going-back.md job.md reasons.md rke-in-rancher.md rke.md verify.md
var Pages embed.FS
