// Package overlay has the go command build sources that differ from those that lie in
// the repository, which stay as they are.
package overlay

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Write puts texts, by the absolute path of the file that each replaces, into dir, and
// returns the path of the list that the flag -overlay of the go command takes. dir has
// to last as long as the go command that reads it.
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
