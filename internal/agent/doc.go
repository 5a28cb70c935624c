// Package agent runs an agent in a session of its own, adoptable after a crash and ended with everything it
// started, and reads its event stream: what it does, what it costs, and whether it repeats itself.
package agent
