// Package judge says from a record who ran the cloud controllers, when, and how sure
// that is. It is a fold: entries go in one after the other, and what it keeps grows
// with processes and containers, not with entries.
//
// Two kinds of bounds are kept apart. What holds whatever happened: a process runs from
// after its acquisition, at least until it last wrote a lease, and at most until its
// kubelet says that its container has ended. And what holds by client-go's own rule: a
// process that cannot renew ends by its renew deadline, unless it was frozen or its
// replies came late. Only the first excludes an overlap.
//
// In which container a process ran is judged by its kubelet, which renews its Node's lease:
// one that hides a new pod, or ends an old process late, shows in that. A containerd that
// hangs does not.
//
// It knows no client, no clock and no file.
package judge
