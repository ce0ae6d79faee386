package judge

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// The model is a cluster of three control planes in steps of a twentieth of a second:
// processes that elect as client-go does, kubelets that report late and invent states,
// clocks that differ, and a recorder whose watches are late and break off. It knows what
// is true, and shares no code with what judges it.

const tick = 50 * time.Millisecond

var epoch = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// simProcess is one run of a container.
type simProcess struct {
	identity, program, host, container string
	flagged, inTree                    bool
	started, ended                     time.Time // ended is zero while it runs
	stamp                              time.Time // of its start, by its host's clock
	frozenUntil                        time.Time
	locks                              map[string]*simLock
	loops                              time.Time // zero: it does not run them
	startsIn                           time.Duration
	pod                                *simPod
	everFrozen                         bool
}

// simLock is a candidate's or holder's view of a lease.
type simLock struct {
	seen     simLease
	seenAt   time.Time
	next     time.Time
	leading  bool
	deadline time.Time
	tried    time.Time // its last look at the lease
	late     int       // successive writes that were committed late
}

type simLease struct {
	version, transitions int
	uid                  int
	gone                 bool
	holder               string
	acquire, renew       time.Time // holder's clock
	manager              string
}

type simPod struct {
	record  record.Pod
	process *simProcess
	ends    int
	again   time.Time // when its container is started next
	hidden  bool      // its kubelet has not shown it yet
}

// simKubelet is a machine's kubelet and its way to an API server.
type simKubelet struct {
	away time.Time // it reaches none until then
	held []*simPod // of which it has something to report once it is back
}

// task is something that happens at a moment.
type task struct {
	at time.Time
	do func()
}

// out is an entry that the recorder gets later.
type out struct {
	at    time.Time
	entry record.Entry
}

type model struct {
	rnd       *rand.Rand
	now       time.Time
	offset    map[string]time.Duration
	leases    map[string]*simLease
	version   int
	pods      []*simPod
	all       []*simProcess
	entries   []out
	count     int
	stalled   time.Time // watches deliver nothing until then
	lostUntil time.Time // and lose what they did not deliver
	lostFrom  time.Time
	leaseAt   time.Time // of the last entry of a lease, for order
	podAt     time.Time
	retry     map[string]time.Duration
	freezes   bool
	unlike    bool // hosts are named unlike their Nodes
	matched   bool // and a machine says which is which
	tasks     []task
	kubelets  map[string]*simKubelet
	changing  bool                  // a run says that modes change, and has not seen them since
	shown     map[string]record.Pod // what the API has, by UID
	order     []string              // UIDs
}

func newModel(seed uint64) *model {
	m := &model{rnd: rand.New(rand.NewPCG(seed, 7)), now: epoch, offset: map[string]time.Duration{}, leases: map[string]*simLease{},
		kubelets: map[string]*simKubelet{}, shown: map[string]record.Pod{},
		retry: map[string]time.Duration{wellknown.KCM: 2 * time.Second, wellknown.CCM: 2 * time.Second}}
	if m.rnd.IntN(2) == 0 {
		m.retry[wellknown.CCM] = 500 * time.Millisecond
	}
	for i := range 3 {
		m.kubelets[host(i)] = &simKubelet{}
		m.offset[host(i)] = time.Duration(m.rnd.Int64N(int64(time.Minute))) - 30*time.Second
	}
	m.freezes, m.unlike, m.matched = m.rnd.IntN(2) == 0, m.rnd.IntN(2) == 0, m.rnd.IntN(3) > 0
	return m
}

func host(i int) string { return fmt.Sprintf("cp-%d", i) }

// called returns the host name of a Node.
func (m *model) called(node string) string {
	if m.unlike {
		return "demo-" + node + "-x7k2p"
	}
	return node
}

func (m *model) between(a, b time.Duration) time.Duration {
	return a + time.Duration(m.rnd.Int64N(int64(b-a)+1))
}

func (m *model) clock(host string) time.Time { return m.now.Add(m.offset[host]) }

// newPod makes a pod and starts its container.
func (m *model) newPod(program, host string, flagged, inTree bool) *simPod {
	m.count++
	flags := []string{"--cloud-provider=external"}
	if inTree || program == wellknown.CCM {
		flags = []string{"--cloud-provider=aws"}
	}
	if flagged {
		flags = append(flags, "--enable-leader-migration=true")
	}
	flags = append(flags, "--leader-elect-retry-period="+m.retry[program].String())
	p := &simPod{record: record.Pod{Namespace: "kube-system", Name: program + "-" + host, UID: fmt.Sprintf("pod-%d", m.count), Program: program, Node: host,
		Mirror: program == wellknown.KCM, HostNetwork: true, Started: m.clock(host).Truncate(time.Second), Flags: flags, Image: "registry.k8s.io/x:v1.26.0"}}
	m.pods = append(m.pods, p)
	m.start(p, flagged, inTree)
	return p
}

func (m *model) start(p *simPod, flagged, inTree bool) {
	m.count++
	pr := &simProcess{program: p.record.Program, host: p.record.Node, container: fmt.Sprintf("containerd://%d", m.count), flagged: flagged, inTree: inTree,
		identity: fmt.Sprintf("%s_%d", m.called(p.record.Node), m.count), started: m.now, stamp: m.clock(p.record.Node).Truncate(time.Second), locks: map[string]*simLock{}, pod: p,
		startsIn: m.between(20*time.Millisecond, 800*time.Millisecond)}
	if pr.program == wellknown.KCM && !flagged && m.rnd.IntN(2) == 0 { // behind one that waits
		pr.startsIn += m.between(10*time.Second, 13*time.Second)
	}
	pr.lock(mainLease(pr.program)).next = m.now.Add(m.between(0, m.retry[pr.program]))
	m.all, p.process = append(m.all, pr), pr
	if n := len(p.record.Containers); n > 0 { // the previous one remains in the status
		p.record.Containers = p.record.Containers[n-1:]
	}
	p.record.Containers = append(slices.Clone(p.record.Containers), record.Container{ID: pr.container, Restarts: int32(p.ends), State: record.Running, Started: pr.stamp})
	m.reportPod(p)
}

func mainLease(program string) string {
	if program == wellknown.CCM {
		return wellknown.CCMLease
	}
	return wellknown.KCMLease
}

func (p *simProcess) lock(name string) *simLock {
	if p.locks[name] == nil {
		p.locks[name] = &simLock{}
	}
	return p.locks[name]
}

// exit ends a process; its kubelet finds out, reports, and starts another later.
func (m *model) exit(p *simProcess) {
	p.ended = m.now
	pod := p.pod
	if pod.process != p {
		return
	}
	pod.process = nil
	pod.ends++
	finished := record.Container{ID: p.container, Restarts: int32(pod.ends - 1), State: record.Terminated, Exit: 1,
		Started: p.stamp, Finished: m.clock(p.host).Truncate(time.Second)}
	pod.record.Containers = []record.Container{finished}
	pod.again = m.now.Add(200 * time.Millisecond)
	if pod.ends > 1 {
		pod.again = m.now.Add(10 * time.Second)
	}
	m.reportPod(pod)
}

// reportPod sends what a kubelet sees, some time later: as soon as it reaches its API server.
func (m *model) reportPod(p *simPod) {
	if p.hidden {
		return
	}
	if k := m.kubelets[p.record.Node]; m.now.Before(k.away) {
		if !slices.Contains(k.held, p) {
			k.held = append(k.held, p)
		}
		return
	}
	m.commitPod(p)
}

// commitPod makes the API show a pod as it is.
func (m *model) commitPod(p *simPod) {
	pod := p.record
	pod.Containers = slices.Clone(pod.Containers)
	if _, known := m.shown[pod.UID]; !known {
		m.order = append(m.order, pod.UID)
	}
	m.shown[pod.UID] = pod
	at := later(m.podAt, later(m.stalled, m.now.Add(m.between(50*time.Millisecond, 1500*time.Millisecond))))
	m.podAt = at
	m.entries = append(m.entries, out{at, record.Entry{Pod: &pod}})
}

// kubeletLives reports what the kubelet held back.
func (m *model) kubeletLives(k *simKubelet) {
	if m.now.Before(k.away) {
		return
	}
	for _, p := range k.held {
		m.commitPod(p)
	}
	k.held = nil
}

// mode returns the mode of all kube-controller-managers, or their mode after a restart, seen or
// not; it is empty if they differ.
func (m *model) mode() record.Mode {
	found := map[record.Mode]bool{}
	for _, p := range m.pods {
		if p.record.Program == wellknown.KCM && !p.record.Gone {
			found[modeBy(p.record.Flags[0] == "--cloud-provider=aws", slices.Contains(p.record.Flags, "--enable-leader-migration=true"))] = true
		}
	}
	for _, p := range m.all {
		if p.program == wellknown.KCM && p.ended.IsZero() {
			found[modeBy(p.inTree, p.flagged)] = true
		}
	}
	for mode := range found {
		if len(found) == 1 {
			return mode
		}
	}
	return ""
}

func modeBy(inTree, flagged bool) record.Mode {
	switch {
	case inTree && flagged:
		return record.Migrating
	case inTree:
		return record.InTree
	}
	return record.External
}

// tell makes a run record its change of the modes, or the modes that it found.
func (m *model) tell(mode record.Mode) {
	if m.changing = mode == record.Changing; mode != "" {
		m.entries = append(m.entries, out{m.now, record.Entry{Step: &record.Step{ID: "step", Mode: mode}}})
	}
}

// write commits a version of a lease.
func (m *model) write(name string, l simLease) {
	m.version++
	l.version = m.version
	*m.lease(name) = l
	if !m.lostUntil.IsZero() && m.now.Before(m.lostUntil) {
		return
	}
	m.send(name, later(m.stalled, m.now.Add(m.between(time.Millisecond, 300*time.Millisecond))))
}

func (m *model) send(name string, at time.Time) {
	l := m.lease(name)
	at = later(m.leaseAt, at)
	m.leaseAt = at
	entry := record.Lease{Name: name, Gone: true}
	if !l.gone {
		entry = record.Lease{Name: name, UID: fmt.Sprint(name, l.uid), ResourceVersion: fmt.Sprint(l.version), Holder: l.holder,
			Seconds: 15, Acquire: l.acquire, Renew: l.renew, Transitions: l.transitions, Manager: l.manager}
	}
	m.entries = append(m.entries, out{at, record.Entry{Lease: &entry}})
}

func (m *model) lease(name string) *simLease {
	if m.leases[name] == nil {
		m.leases[name] = &simLease{gone: true}
	}
	return m.leases[name]
}

// elect is one look of a process at a lease (client-go, tryAcquireOrRenew and renew).
func (m *model) elect(p *simProcess, name string) {
	lock, now := p.lock(name), *m.lease(name)
	retry := m.retry[p.program]
	if lock.leading && !m.now.Before(lock.deadline) {
		m.exit(p)
		return
	}
	if m.now.Before(lock.next) {
		return
	}
	if now.version != lock.seen.version {
		lock.seen, lock.seenAt = now, m.now
	}
	stamp := m.clock(p.host).Add(-m.commitTime(lock))
	lock.tried = m.now
	switch {
	case now.gone: // leader and candidates recreate the lease at their next try
		m.write(name, simLease{uid: now.uid + 1, holder: p.identity, acquire: stamp, renew: stamp, manager: p.program})
		m.took(p, name)
	case now.holder == p.identity:
		now.renew = stamp
		m.write(name, now)
		lock.seen, lock.seenAt, lock.deadline = *m.lease(name), m.now, m.now.Add(retry+10*time.Second)
		lock.next = m.now.Add(retry)
	case now.holder == "" || m.now.After(lock.seenAt.Add(15*time.Second)):
		m.write(name, simLease{uid: now.uid, holder: p.identity, acquire: stamp, renew: stamp, transitions: now.transitions + 1, manager: p.program})
		m.took(p, name)
	default:
		lock.next = m.now.Add(m.between(retry, retry*22/10))
		if lock.leading {
			lock.next = m.now.Add(retry)
		}
	}
}

// commitTime returns the time from a write's stamp to its commit. One write in twenty waits for a
// slow API server, but not inRow in a row, and a process never stamps one before its last look is over.
func (m *model) commitTime(lock *simLock) time.Duration {
	if lock.late++; m.rnd.IntN(20) > 0 || lock.late >= inRow {
		lock.late = 0
		return m.between(0, 100*time.Millisecond)
	}
	return min(m.between(0, 3*time.Second), m.now.Sub(lock.tried))
}

// took runs the actions of a process that acquired a lease.
func (m *model) took(p *simProcess, name string) {
	lock, retry := p.lock(name), m.retry[p.program]
	lock.seen, lock.seenAt, lock.deadline = *m.lease(name), m.now, m.now.Add(retry+10*time.Second)
	lock.next = m.now.Add(retry)
	if !lock.leading {
		lock.leading = true
		m.leads(p, name)
	}
}

// leads runs the actions of a leader.
func (m *model) leads(p *simProcess, name string) {
	runs := p.program == wellknown.CCM || p.inTree
	if name == mainLease(p.program) && p.flagged {
		p.lock(wellknown.MigrationLease).next = m.now
		return
	}
	if runs && p.loops.IsZero() {
		p.loops = m.now.Add(p.startsIn)
	}
}

// step is one tick of everything.
func (m *model) step() {
	m.now = m.now.Add(tick)
	if !m.lostUntil.IsZero() && !m.now.Before(m.lostUntil) {
		m.relist()
	}
	for _, p := range slices.Clone(m.all) {
		if !p.ended.IsZero() || m.now.Before(p.frozenUntil) {
			continue
		}
		for _, name := range record.LeaseNames() {
			if p.ended.IsZero() && p.locks[name] != nil {
				m.elect(p, name)
			}
		}
	}
	for _, p := range m.pods {
		if !p.again.IsZero() && !m.now.Before(p.again) && p.process == nil && !p.record.Gone {
			p.again = time.Time{}
			m.start(p, slices.Contains(p.record.Flags, "--enable-leader-migration=true"), p.record.Program == wellknown.KCM && p.record.Flags[0] == "--cloud-provider=aws")
		}
	}
	for i := range 3 {
		m.kubeletLives(m.kubelets[host(i)])
	}
	due := slices.Clone(m.tasks)
	m.tasks = slices.DeleteFunc(m.tasks, func(t task) bool { return !m.now.Before(t.at) })
	for _, t := range due {
		if !m.now.Before(t.at) {
			t.do()
		}
	}
	if m.now.Sub(epoch)%time.Second == 0 && m.now.After(m.stalled) {
		m.check()
		if mode := m.mode(); m.changing && mode != "" && m.rnd.IntN(10) == 0 {
			m.tell(mode)
		}
	}
}

// check asks past every cache, as the recorder does each second.
func (m *model) check() {
	versions := map[string]record.Version{}
	for _, name := range record.LeaseNames() {
		versions[name] = record.Version{Sent: m.now.Add(-m.between(0, 40*time.Millisecond))}
		if l := m.lease(name); !l.gone {
			versions[name] = record.Version{Sent: versions[name].Sent, ResourceVersion: fmt.Sprint(l.version)}
		}
	}
	m.entries = append(m.entries, out{m.now.Add(m.between(0, 40*time.Millisecond)), record.Entry{Checked: &record.Checked{Versions: versions}}})
}

// lose makes the watches miss everything until then.
func (m *model) lose(d time.Duration) {
	if m.lostUntil.IsZero() {
		m.lostFrom, m.lostUntil = m.now, m.now.Add(d)
		m.stalled = later(m.stalled, m.lostUntil)
	}
}

func (m *model) relist() {
	at := later(m.now, later(m.leaseAt, m.podAt))
	for _, stream := range []record.Stream{record.Leases, record.Pods} {
		m.entries = append(m.entries, out{at, record.Entry{Missed: &record.Unwatched{Stream: stream, From: m.lostFrom, Until: at, Lost: true}}})
	}
	m.lostUntil = time.Time{}
	m.listed(at)
}

// listed sends the result of a list.
func (m *model) listed(at time.Time) {
	for _, name := range record.LeaseNames() {
		m.send(name, at)
	}
	for _, uid := range m.order {
		if pod := m.shown[uid]; !pod.Gone {
			m.entries = append(m.entries, out{at, record.Entry{Pod: &pod}})
		}
	}
	m.leaseAt, m.podAt = later(m.leaseAt, at), later(m.podAt, at)
}

// begin starts the record.
func (m *model) begin() {
	m.entries = nil
	m.entries = append(m.entries, out{m.now, record.Entry{Header: &record.Header{Form: record.Form}}})
	for i := range 3 {
		m.entries = append(m.entries, out{m.now, record.Entry{Node: &record.Node{Name: host(i), UID: host(i)}}})
		if m.unlike && m.matched {
			m.entries = append(m.entries, out{m.now, record.Entry{Machine: &record.Machine{Name: "m-" + host(i), Infrastructure: m.called(host(i)), Node: host(i)}}})
		}
	}
	m.listed(m.now)
	for _, stream := range []record.Stream{record.Leases, record.Pods, record.Nodes} {
		m.entries = append(m.entries, out{m.now, record.Entry{Begun: &record.Begun{Stream: stream}}})
	}
	if m.rnd.IntN(2) == 0 { // some records are of a run
		m.tell(record.Changing)
		m.tell(m.mode())
		m.changing = true
	}
}

// record gives the entries up to now in the order in which they were received.
func (m *model) record() []record.Entry {
	slices.SortStableFunc(m.entries, func(a, b out) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
	var all []record.Entry
	for _, o := range m.entries {
		if o.at.After(m.now) {
			break
		}
		o.entry.At = o.at
		all = append(all, o.entry)
	}
	return all
}
