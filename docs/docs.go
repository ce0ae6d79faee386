// Package docs embeds documentation files that the program shows without a network, or
// applies. It holds files only.
package docs

import "embed"

// Pages holds the pages of the steps, and the pages that explain errors, by their paths
// below docs.
//
//go:embed steps/*.md owners/*.md after-a-restore.md controller.md exit-codes.md going-back.md job.md reasons.md rke-in-rancher.md rke.md verify.md
var Pages embed.FS
