// Package faulty contains helpers for tests of the engine, its journal and its lock: a client
// that loses requests and answers, clocks that never wait, and checks of error classes. It
// imports package fault but none of the engine.
package faulty
