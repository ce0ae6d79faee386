// Package judge derives from a record which process ran the cloud controllers at which time, and
// how certain that is. It consumes entries one by one; its memory grows with processes and
// containers, not with entries.
//
// It keeps two kinds of bounds apart. The first kind always holds: a process runs from after its
// acquisition, at least until its last write of a lease, and at most until its kubelet reports
// the end of its container. The second kind holds by client-go's own rule: a process that cannot
// renew exits by its renew deadline, unless it was frozen or its replies were late. Only the
// first kind excludes an overlap.
//
// The container of a process is judged by its kubelet, which renews its Node's lease: a kubelet
// that hides a new pod, or stops an old process late, is visible there. A hanging containerd is
// not.
//
// The package has no client, no clock and no file.
package judge
