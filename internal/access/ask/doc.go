// Package ask finds out about access: it reaches each API server of a target, asks who it
// is that asks and which rights of a purpose there are, and the same of AWS. What does not
// answer holds back nothing that can be asked without it.
//
// It writes nothing: its clients refuse to, in the transport, which lets reviews of one's
// own access through. It knows no flag and no view.
package ask
