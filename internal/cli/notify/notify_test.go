package notify

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A command finds the notice in its environment. A failing command is reported. Processes that it leaves
// behind are not waited for.
func TestTell_command_noticeInEnvironment(t *testing.T) {
	end := Notice{Kind: End, Target: "rke2 --cluster demo", Position: "P5", ExitCode: 3, Message: `a "message"; $(with) words`}
	for name, tt := range map[string]struct {
		notice              Notice
		command, file, said string
	}{
		"an end": {notice: end, command: `echo "$AWSMIGRATE_NOTICE|$AWSMIGRATE_TARGET|$AWSMIGRATE_POSITION|$AWSMIGRATE_EXIT_CODE|$AWSMIGRATE_MESSAGE" > told`,
			file: "end|rke2 --cluster demo|P5|3|" + end.Message + "\n"},
		"a question": {notice: Notice{Kind: Question, Message: "asks"}, command: `echo "$AWSMIGRATE_NOTICE|${AWSMIGRATE_EXIT_CODE-none}|$AWSMIGRATE_MESSAGE" > told`,
			file: "question|none|asks\n"},
		"one that fails":              {notice: end, command: "echo first; echo last >&2; exit 7", said: `--notify-exec "echo first; echo last >&2; exit 7": exit status 7; it printed "first\nlast\n"`},
		"one that is not there":       {notice: end, command: "/absent/program", said: `exit status 127; it printed "`},
		"one that leaves a child":     {notice: end, command: "sleep 60 & echo there > told", file: "there\n"},
		"none":                        {notice: end},
		"one that reads its input":    {notice: end, command: "cat > told"},
		"with words of a shell's own": {notice: end, command: "true && printf '%s' x > told", file: "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, said := t.TempDir(), ""
			command := tt.command
			if command != "" {
				command = "cd '" + dir + "'; " + command
			}
			var bell bytes.Buffer
			Teller{Command: command, Bell: &bell, Say: func(line string) { said += line }}.Tell(t.Context(), tt.notice)
			told, err := os.ReadFile(filepath.Join(dir, "told"))
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			said = strings.Replace(said, "cd '"+dir+"'; ", "", 1)
			if string(told) != tt.file || !strings.Contains(said, tt.said) || (said == "") != (tt.said == "") {
				t.Errorf("told %q, said %q; wanted %q, %q", told, said, tt.file, tt.said)
			}
			if bell.String() != "\a" {
				t.Errorf("the bell: %q", bell.String())
			}
		})
	}
}
