package usage

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// FishFiles returns an addition to cobra's script for fish, in which every function name contains
// the program name. For flags that take certain file extensions, cobra leaves completion to fish,
// which offers all files (spf13/cobra:fish_completions.go@v1.10). This addition offers matching
// files first, then folders, then the rest, as fish does for its own commands.
func FishFiles(name string) string {
	of := strings.NewReplacer("-", "_", ":", "_").Replace(name) // as cobra names its functions
	return fmt.Sprintf(`
function __%[1]s_wants_files
    __%[1]s_perform_completion_once; or return 1
    set -l directive (string sub --start 2 -- $__%[1]s_perform_completion_once_result[-1])
    test -n "$directive"; and test (math (math --scale 0 $directive / 8) %% 2) -eq 1
end

function __%[1]s_files
    set -l flag (string match -r -- '^-[^=]*=' (commandline -ct))
    set -l typed (string replace -r -- '^-[^=]*=' '' (commandline -ct))
    set -l files (complete -C "__%[1]s_no_command $typed")
    for ending in (string replace -r -- '^.*=' '' $__%[1]s_perform_completion_once_result[1..-2])
        printf "$flag%%s\n" (string match -- "*.$ending" $files)
    end
    printf "$flag%%s\n" (string match -- '*/' $files) $files
end

complete -k -c %[2]s -n '__%[1]s_wants_files' -f -a '(__%[1]s_files)'
`, of, name)
}

// WithCompletion adds cobra's command for completion scripts to root, with our addition for fish.
func WithCompletion(root *cobra.Command) *cobra.Command {
	root.InitDefaultCompletionCmd()
	fish, _, err := root.Find([]string{"completion", "fish"})
	if err != nil || fish.RunE == nil {
		return root
	}
	cobras := fish.RunE
	fish.RunE = func(cmd *cobra.Command, args []string) error {
		if err := cobras(cmd, args); err != nil {
			return err
		}
		_, err := io.WriteString(cmd.OutOrStdout(), FishFiles(root.Name()))
		return err
	}
	return root
}
