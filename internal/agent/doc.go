// Package agent runs an agent in a session of its own: the run survives a crash of belay and is ended
// together with every process it started. It reads the agent's event stream: tool calls, cost, and whether
// the agent repeats itself. It never judges the work and knows nothing of snapshots or the journal.
package agent
