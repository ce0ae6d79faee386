package target

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
)

// migrationFlags are the choices that shape a migration; plan, status and run share them.
type migrationFlags struct {
	installMethod        string
	kubernetesVersion    string
	etcdSnapshot         bool
	noEtcdSnapshot       bool
	keepLeaderMigration  bool
	handOver             string
	cloudRoutes          string
	cloudConfig          string
	ccmImage, chart      string
	values               []string
	skip                 []string
	only                 []string
	failOn               string
	aws, region, profile string
	assumeRole           string
	externalID           string
	sessionName          string
	ownerInformed        []string
	edits                string
	lookOnly             bool                   // the audit, which prepares no installation
	given                func(flag string) bool // whether a flag was typed
}

// registerForward adds the flags that mean nothing to an undo. Whether an etcd snapshot
// is taken by default was chosen before.
func (m *migrationFlags) registerForward(flags *pflag.FlagSet) {
	m.registerVersion(flags)
	flags.BoolVar(&m.etcdSnapshot, "etcd-snapshot", m.etcdSnapshot, "take an etcd snapshot first")
	flags.BoolVar(&m.noEtcdSnapshot, "no-etcd-snapshot", false, "take no etcd snapshot")
	flags.BoolVar(&m.keepLeaderMigration, "keep-leader-migration", false, "leave leader migration on in the CCM")
}

func (m *migrationFlags) registerVersion(flags *pflag.FlagSet) {
	flags.StringVar(&m.kubernetesVersion, "kubernetes-version", "", "upgrade to this version in a last step of its own")
}

// registerChecks adds the flags that decide what checks judge, which the audit has
// too.
func (m *migrationFlags) registerChecks(flags *pflag.FlagSet) {
	m.given = flags.Changed
	flags.StringVar(&m.handOver, "hand-over", handOverNatural, "natural|early|clear: have the CCM take the cloud controllers over by the switch, or in a step of its own before it, when the fence has expired or as soon as a kubelet shows that the one before has ended")
	flags.StringVar(&m.cloudRoutes, "cloud-routes", "", "on|off: whether the CCM maintains VPC routes (default off; refused where the in-tree provider does today)")
	flags.StringVar(&m.cloudConfig, "cloud-config", "", "file with the CCM's cloud config (default: the in-tree one, carried over)")
	flags.StringVar(&m.ccmImage, "ccm-image", "", "image of the aws-cloud-controller-manager (default: the one that fits the cluster's version)")
	flags.StringVar(&m.chart, "chart", "", "chart directory or archive to use instead of the embedded one")
	flags.StringArrayVar(&m.values, "values", nil, "file with chart values (repeatable)")
	flags.StringArrayVar(&m.skip, "skip", nil, "ID=REASON: skip a check and record why (repeatable)")
	flags.StringSliceVar(&m.only, "only", nil, "run only these checks; those that may not be skipped run too")
	flags.StringSliceVar(&m.ownerInformed, "owner-informed", nil, "tool that keeps the cluster's configuration, such as terraform or fleet, and that has what is written (repeatable)")
	flags.StringVar(&m.failOn, "fail-on", "failure", "failure|warning: what of the checks ends the command with an exit code other than 0")
	flags.StringVar(&m.aws, "aws", "auto", "auto|on|off: ask EC2 and IAM")
	flags.StringVar(&m.region, "region", "", "AWS region")
	flags.StringVar(&m.profile, "profile", "", "AWS profile")
	flags.StringVar(&m.assumeRole, "assume-role", "", "ARN of an AWS role to assume")
	flags.StringVar(&m.externalID, "external-id", "", "external id that the trust policy of --assume-role asks for")
	flags.StringVar(&m.sessionName, "role-session-name", "", "name of the session of --assume-role, as CloudTrail shows it (default awsmigrate)")
}

// handOverNatural leaves the hand-over to the switch.
const handOverNatural = "natural"

// What AssumeRole takes (AWS STS API reference, 2011-06-15).
var (
	roleSessionName = regexp.MustCompile(`^[\w+=,.@-]{2,64}$`)
	roleExternalID  = regexp.MustCompile(`^[\w+=,.@:/-]{2,}$`)
)

// checkRole refuses what STS would refuse only when it is asked.
func (m *migrationFlags) checkRole() error {
	switch {
	case m.assumeRole == "" && (m.externalID != "" || m.sessionName != ""):
		return errors.New("flags --external-id and --role-session-name: wanted with --assume-role")
	case m.sessionName != "" && !roleSessionName.MatchString(m.sessionName):
		return fmt.Errorf("flag --role-session-name: %q, wanted 2 to 64 letters, digits and _+=,.@-", m.sessionName)
	case m.externalID != "" && (len(m.externalID) > 1224 || !roleExternalID.MatchString(m.externalID)):
		return errors.New("flag --external-id: wanted 2 to 1224 letters, digits and _+=,.@:/-") // it may be kept secret
	}
	return nil
}

// options turns flags into what every migration takes, reading the files they name.
func (m *migrationFlags) options() (migration.Options, error) {
	o := migration.Options{
		InstallMethod: migration.InstallMethod(m.installMethod), KubernetesVersion: m.kubernetesVersion, Snapshot: m.etcdSnapshot && !m.noEtcdSnapshot,
		KeepLeaderMigration: m.keepLeaderMigration,
		DisableAsked:        m.given("keep-leader-migration") && !m.keepLeaderMigration, CloudRoutes: m.cloudRoutes, CCMImage: m.ccmImage,
		ChartPath: m.chart, OnlyChecks: m.only, AWS: m.aws, AWSIdentity: aws.Identity{Process: os.Getenv}, Region: m.region, Profile: m.profile,
		AssumeRole: m.assumeRole, ExternalID: m.externalID, SessionName: m.sessionName,
		OwnersInformed: m.ownerInformed, ReadOnly: m.lookOnly, Skip: map[string]string{},
	}
	if err := m.checkRole(); err != nil {
		return o, fault.AsUsage(err)
	}
	if m.noEtcdSnapshot && m.etcdSnapshot && m.given("etcd-snapshot") {
		return o, fault.AsUsage(errors.New("flags --etcd-snapshot and --no-etcd-snapshot: wanted one of them"))
	}
	switch m.edits {
	case "", "apply":
	case "handoff": // a snapshot is an edit as well, and drift for ever where it is not committed
		o.HandOver, o.Snapshot = true, o.Snapshot && m.given("etcd-snapshot")
	default:
		return o, fault.AsUsage(fmt.Errorf("flag --edits: %q, wanted apply or handoff", m.edits))
	}
	switch m.handOver {
	case handOverNatural:
	case "early":
		o.EarlyHandOver = true
	case "clear":
		o.EarlyHandOver, o.ClearFence = true, true
	default:
		return o, fault.AsUsage(fmt.Errorf("flag --hand-over: %q, wanted natural, early or clear", m.handOver))
	}
	switch m.failOn {
	case "failure":
	case "warning":
		o.FailOnWarning = true
	default:
		return o, fault.AsUsage(fmt.Errorf("flag --fail-on: %q, wanted failure or warning", m.failOn))
	}
	for _, skip := range m.skip {
		id, reason, _ := strings.Cut(skip, "=")
		o.Skip[id] = reason
	}
	if err := checkSelection(o); err != nil {
		return o, err
	}
	var err error
	if o.CloudConfig, err = readFileFlag("--cloud-config", m.cloudConfig); err != nil {
		return o, err
	}
	if o.Values, err = readValues(m.values); err != nil {
		return o, err
	}
	return o, nil
}

// fileLimits are the limits of a file that a flag names. Chart values and cloud configs have less
// than 100 kB and 2,000 values.
func fileLimits() bounded.Limits { return bounded.Limits{Bytes: 1 << 20, Values: 1 << 15} }

func readFileFlag(flag, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := fileLimits().ReadFile(path)
	if bounded.Exceeded(err) {
		return "", &fault.Error{Class: fault.Usage, Reason: "UnreadableFile", Object: "flag " + flag, Seen: path + " " + err.Error(), Wanted: fmt.Sprintf("at most %d bytes", fileLimits().Bytes)}
	}
	if err != nil {
		return "", &fault.Error{Class: fault.Usage, Reason: "UnreadableFile", Object: "flag " + flag, Seen: "cannot be read", Err: err}
	}
	return string(text), nil
}

// readValues merges value files in order, later ones winning, as Helm does.
func readValues(paths []string) (map[string]any, error) {
	merged := map[string]any{}
	for _, path := range paths {
		text, err := readFileFlag("--values", path)
		if err != nil {
			return nil, err
		}
		if err := fileLimits().CheckYAML([]byte(text)); err != nil {
			return nil, &fault.Error{Class: fault.Usage, Reason: "InvalidValues", Object: "values file " + path, Seen: err.Error(), Wanted: "at most " + fileLimits().String()}
		}
		var values map[string]any
		if err := yaml.UnmarshalStrict([]byte(text), &values); err != nil {
			return nil, &fault.Error{Class: fault.Usage, Reason: "InvalidValues", Object: "values file " + path, Seen: "not a YAML map", Err: err}
		}
		mergeValues(merged, values)
	}
	return merged, nil
}

func mergeValues(into, from map[string]any) {
	for key, value := range from {
		inner, isMap := value.(map[string]any)
		have, haveMap := into[key].(map[string]any)
		if isMap && haveMap {
			mergeValues(have, inner)
			continue
		}
		into[key] = value
	}
}
