package rke

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/test/lab/docker"
)

// cli is one run of the command.
type cli struct {
	release Release
	log     *Log
	out     io.Writer

	debug, trace, quiet bool
	config              string
	updateOnly, init    bool
	sshAgent            bool
	ignoreDocker        bool
	name                string
	systemImages        bool
	listVersion, all    bool
	version             string
}

// Main runs the rke command line as that release and returns its exit code, 0 or 1. A signal
// ends it like a program without handlers, so ctx is only for tests.
func Main(ctx context.Context, release Release, args []string, out io.Writer) int {
	c := &cli{release: release, out: out, log: &Log{Out: out, Now: time.Now}}
	root := c.root()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(out)
	if err := root.ExecuteContext(ctx); err != nil {
		c.log.fatalf("%v", err)
		return 1
	}
	return 0
}

func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use: "rke", Short: "Rancher Kubernetes Engine (the lab's stand-in)", Version: string(c.release),
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRun: func(*cobra.Command, []string) {
			c.log.Debug = c.debug || c.trace
			if c.quiet {
				c.log.Out = io.Discard
			}
			if !c.release.official() {
				c.log.warnf("This is not an officially supported version (%s) of RKE. Please download the latest official release at https://github.com/rancher/rke/releases", c.release)
			}
		},
	}
	root.SetVersionTemplate("rke version {{.Version}}\n")
	flags := root.PersistentFlags()
	flags.BoolVarP(&c.debug, "debug", "d", false, "Debug logging")
	flags.BoolVarP(&c.quiet, "quiet", "q", false, "Quiet mode, disables logging and only critical output will be printed")
	flags.BoolVar(&c.trace, "trace", false, "Trace logging")
	root.AddCommand(c.upCommand(), c.configCommand(), c.etcdCommand(), c.utilCommand())
	return root
}

// common adds the flags of every command that reads cluster.yml.
func (c *cli) common(cmd *cobra.Command) *cobra.Command {
	file := os.Getenv("RKE_CONFIG")
	if file == "" {
		file = "cluster.yml"
	}
	cmd.Flags().StringVar(&c.config, "config", file, "Specify an alternate cluster YAML file")
	cmd.Flags().BoolVar(&c.sshAgent, "ssh-agent-auth", false, "Use SSH Agent Auth defined by SSH_AUTH_SOCK")
	cmd.Flags().BoolVar(&c.ignoreDocker, "ignore-docker-version", false, "Disable Docker version check")
	return cmd
}

func (c *cli) upCommand() *cobra.Command {
	cmd := c.common(&cobra.Command{
		Use: "up", Short: "Bring the cluster up", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.log.infof("Running RKE version: %s", c.release)
			config, err := c.read()
			if err != nil {
				return err
			}
			engine := c.engine()
			if err := engine.Init(config); err != nil || c.init {
				return err
			}
			return engine.Up(cmd.Context())
		},
	})
	cmd.Flags().BoolVar(&c.updateOnly, "update-only", false, "Skip idempotent deployment of control and etcd plane")
	cmd.Flags().BoolVar(&c.init, "init", false, "Initiate RKE cluster")
	for _, ignored := range []string{"disable-port-check", "local", "dind", "custom-certs"} {
		cmd.Flags().Bool(ignored, false, "left out of the lab")
	}
	for _, ignored := range []string{"cert-dir", "dind-storage-driver", "dind-dns-server"} {
		cmd.Flags().String(ignored, "", "left out of the lab")
	}
	return cmd
}

func (c *cli) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Setup cluster configuration", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			switch {
			case c.systemImages:
				return c.printImages()
			case c.listVersion:
				for _, v := range c.release.Versions() {
					if c.all || v == c.release.DefaultVersion() {
						fmt.Fprintln(c.out, v)
					}
				}
				return nil
			}
			return errors.New("the lab's rke asks no questions: only --system-images and --list-version")
		},
	}
	cmd.Flags().BoolVarP(&c.systemImages, "system-images", "s", false, "Generate the default system images")
	cmd.Flags().BoolVarP(&c.listVersion, "list-version", "l", false, "List the default kubernetes version")
	cmd.Flags().BoolVarP(&c.all, "all", "a", false, "Used with -s and -l, get all available versions")
	cmd.Flags().StringVar(&c.version, "version", "", "Generate the default system images for specific k8s versions")
	return cmd
}

func (c *cli) printImages() error {
	v := c.version
	if v == "" {
		v = c.release.DefaultVersion()
	}
	images, err := c.release.images(v)
	if err != nil {
		return err
	}
	c.log.infof("Generating images list for version [%s]:", v)
	for _, image := range []string{images.Etcd, images.KubernetesServicesSidecar, images.Kubernetes, images.PodInfraContainer} {
		fmt.Fprintln(c.out, image)
	}
	return nil
}

func (c *cli) etcdCommand() *cobra.Command {
	etcd := &cobra.Command{Use: "etcd", Short: "etcd snapshot save operations in k8s cluster"}
	save := c.common(&cobra.Command{
		Use: "snapshot-save", Short: "Take snapshot on all etcd hosts", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := c.read()
			if err != nil {
				return err
			}
			if c.name == "" {
				c.name = "rke_etcd_snapshot_" + time.Now().Format(time.RFC3339)
				c.log.warnf("Name of the snapshot is not specified, using [%s]", c.name)
			}
			return c.engine().Snapshot(cmd.Context(), config, c.name)
		},
	})
	save.Flags().StringVar(&c.name, "name", "", "Specify snapshot name")
	etcd.AddCommand(save)
	return etcd
}

func (c *cli) utilCommand() *cobra.Command {
	util := &cobra.Command{Use: "util", Short: "Various utilities to retrieve cluster related files and troubleshoot"}
	util.AddCommand(c.common(&cobra.Command{
		Use: "get-state-file", Short: "Retrieve state file from cluster", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.log.infof("Retrieving state file from cluster")
			return c.engine().FetchState(cmd.Context())
		},
	}))
	return util
}

// read reads cluster.yml and applies the options of the command line.
func (c *cli) read() (Config, error) {
	text, err := os.ReadFile(c.config)
	if err != nil {
		return Config{}, fmt.Errorf("Failed to resolve cluster file: can not find cluster configuration file: %w", err) //nolint:staticcheck // rke's words
	}
	config, err := Decode(text)
	if err != nil {
		return config, fmt.Errorf("Failed to parse cluster file: %w", err) //nolint:staticcheck // rke's words
	}
	config.SSHAgentAuth = config.SSHAgentAuth || c.sshAgent
	config.IgnoreDockerVersion = &c.ignoreDocker
	return config, nil
}

// engine finds the lab by the nodes' SSH keys.
func (c *cli) engine() *Engine {
	e := &Engine{Release: c.release, ClusterFile: c.config, UpdateOnly: c.updateOnly, Clock: clock.RealClock{}, Log: c.log}
	if config, err := c.read(); err == nil {
		e.Retry = retryOf(config)
	}
	e.Dial = func(n Node) (docker.Host, error) {
		key, err := readKey(n)
		if err != nil {
			return nil, err
		}
		return docker.Dial(key, n.Address), nil
	}
	return e
}

func readKey(n Node) (docker.Key, error) {
	text := []byte(n.SSHKey)
	if n.SSHKey == "" {
		var err error
		if text, err = os.ReadFile(n.SSHKeyPath); err != nil {
			return docker.Key{}, fmt.Errorf("Error while reading SSH key file: %w", err) //nolint:staticcheck // rke's words
		}
	}
	return docker.ParseKey(text)
}

// retryOf returns the pause in the lab's key.
func retryOf(c Config) time.Duration {
	for _, n := range c.Nodes {
		setDefault(&n.SSHKeyPath, c.SSHKeyPath)
		if key, err := readKey(n); err == nil {
			return key.Retry
		}
	}
	return 0
}
