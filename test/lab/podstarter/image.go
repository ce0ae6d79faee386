package podstarter

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// An image as it was built is a folder with its root file system and its configuration,
// which is in the form of opencontainers/image-spec:config.md.
const (
	RootFolder = "rootfs"
	ConfigFile = "config.json"
)

// image holds the part of an image's configuration that its containers need.
type image struct {
	root, dir   string
	env, words  []string // words are the program and its first arguments
	user, group int
}

// readImage returns the image in a folder. A path that is no folder is a single program.
func readImage(path string) (image, bool, error) {
	if stat, err := os.Stat(path); err != nil || !stat.IsDir() {
		return image{}, false, err
	}
	raw, err := os.ReadFile(filepath.Join(path, ConfigFile))
	if err != nil {
		return image{}, true, fmt.Errorf("image %s: %w", path, err)
	}
	var file struct {
		Config struct {
			User, WorkingDir string
			Env, Entrypoint  []string
		} `json:"config"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return image{}, true, fmt.Errorf("image %s: %w", path, err)
	}
	c := file.Config
	i := image{root: filepath.Join(path, RootFolder), dir: c.WorkingDir, env: c.Env, words: c.Entrypoint}
	if i.user, i.group, err = numbers(c.User); err == nil && len(i.words) == 0 {
		err = fmt.Errorf("no entrypoint")
	}
	if err != nil {
		return i, true, fmt.Errorf("image %s: %w", path, err)
	}
	if i.dir == "" {
		i.dir = "/"
	}
	return i, true, nil
}

// numbers parses USER:GROUP. The lab knows no names. A kubelet, too, needs a number to decide
// whether a container would run as root.
func numbers(text string) (user, group int, err error) {
	first, second, _ := strings.Cut(text, ":")
	if user, err = strconv.Atoi(first); err == nil {
		group, err = strconv.Atoi(second)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("user %q, wanted two numbers: %w", text, err)
	}
	return user, group, nil
}
