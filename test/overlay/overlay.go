// Package overlay makes the go command build changed sources, while the files in the repository
// stay unchanged.
package overlay

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Write puts texts into dir, keyed by the absolute path of the file that each replaces. It returns
// the path of the list for the go command's flag -overlay. dir must outlive the go command.
func Write(dir string, texts map[string]string) (string, error) {
	replace := make(map[string]string, len(texts))
	for file, text := range texts {
		changed := filepath.Join(dir, fmt.Sprintf("%d_%s", len(replace), filepath.Base(file)))
		if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[file] = changed
	}
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := filepath.Join(dir, "overlay.json")
	return list, os.WriteFile(list, raw, 0o600)
}
