// Package evidence is what the checks of every category judge: the readings of one
// moment, what follows from them about the cluster as a whole, and which EC2 instance
// stands for which Node, with how sure that is.
//
// It has no check and no ID: it says what was seen, and that something was not.
package evidence
