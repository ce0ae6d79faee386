package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/lab/observer"
)

func callsCommand(dir *string) *cobra.Command {
	var caller string
	var writes bool
	cmd := &cobra.Command{
		Use: "calls", Short: "Show the calls that AWS received", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := os.Open(filepath.Join(*dir, observer.AWSFile))
			if err != nil {
				return err
			}
			defer f.Close()
			return printCalls(cmd.OutOrStdout(), f, func(c aws.Call) bool {
				return strings.Contains(c.Caller, caller) && (c.Write || !writes)
			})
		},
	}
	cmd.Flags().StringVar(&caller, "caller", "", "only callers whose name contains this")
	cmd.Flags().BoolVar(&writes, "writes", false, "only calls that change something")
	return cmd
}

func printCalls(w io.Writer, record io.Reader, keep func(aws.Call) bool) error {
	in := bufio.NewReader(record)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var call aws.Call
		if err := json.Unmarshal(line, &call); err != nil {
			return fmt.Errorf("the record of AWS calls: %w", err)
		}
		if !keep(call) {
			continue
		}
		result := "ok"
		if call.Error != "" {
			result = call.Error
		}
		fmt.Fprintf(w, "%s  %-40s %s:%s  %s\n", call.Time.Format("15:04:05.000"), call.Caller, call.Service, call.Action, result)
	}
}

// The exit codes of observe, as awsmigrate's own for a failed check and for one that could not be
// made.
const (
	exitOverlap = 3
	exitBlind   = 10
)

func observeCommand(dir *string) *cobra.Command {
	var since, until string
	var asJSON bool
	fail := true
	cmd := &cobra.Command{
		Use: "observe", Short: "Report which process ran each cloud controller, with overlaps and gaps", Args: cobra.NoArgs,
		Long: "Exit code 3: two processes ran one controller at once. 10: some evidence could not be read.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			now := time.Now()
			var window observer.Window
			var err error
			if window.Since, err = moment(since, now); err != nil {
				return err
			}
			if window.Until, err = moment(until, now); err != nil {
				return err
			}
			report, err := observer.Observe(*dir, window, now)
			if err != nil {
				return err
			}
			if asJSON {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(report)
			} else {
				err = report.Print(cmd.OutOrStdout())
			}
			switch {
			case err != nil:
				return err
			case fail && report.Overlapping():
				return &exitError{code: exitOverlap}
			case fail && len(report.Blind) > 0:
				return &exitError{code: exitBlind}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "RFC 3339 time, or a duration before now; default: the beginning")
	cmd.Flags().StringVar(&until, "until", "", "RFC 3339 time, or a duration before now; default: now")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.Flags().BoolVar(&fail, "fail-on-overlap", fail, "exit with 3 on an overlap, 10 if evidence is missing")
	return cmd
}

func moment(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago), nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return at, fmt.Errorf("%q is neither an RFC 3339 time nor a duration", text)
	}
	return at, nil
}
