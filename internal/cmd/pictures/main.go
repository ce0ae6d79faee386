// Command pictures writes docs/pictures anew; run it in the root of the repository.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// folder of the pictures, from the root of the repository.
const folder = "docs/pictures"

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(root string) error {
	files, err := pictures(root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, folder, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pictures are the files, by name. What a picture shows of the product or of a run comes
// from where the product, or the record of that run, has it.
func pictures(root string) (map[string][]byte, error) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		return nil, err
	}
	shown, err := readRun(string(readme))
	if err != nil {
		return nil, fmt.Errorf("the transcript in README.md: %w", err)
	}
	screen, err := os.ReadFile(filepath.Join(root, goldenScreen))
	if err != nil {
		return nil, err
	}
	reported, err := timeLine(root)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"report.svg":       reported,
		"ladder.svg":       ladder(),
		"architecture.svg": architecture(),
		"hand-over.svg":    handOver(shown),
		"board.svg":        boardStill(string(screen)),
	}, nil
}
