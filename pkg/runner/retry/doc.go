// Package retry goes on through an API that is away for a while: which errors pass by
// themselves, how long one is tried again, and what a person sees of it meanwhile. The
// first interrupt ends such a wait, unless something under way has to be finished.
//
// It is a leaf: journal, lock and engine wait by it, and it knows none of them.
package retry
