// Package faulty contains helpers for tests of the engine, its journal and its lock. It has a
// client that loses requests and answers, clocks that never wait, and checks of error classes.
// It imports package fault but no package of the engine.
package faulty
