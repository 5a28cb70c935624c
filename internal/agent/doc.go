// Package agent runs an agent in a session of its own: the run survives a crash of belay and is ended
// together with every process it started. It reads the agent's event stream: tool calls, cost, and whether
// the agent repeats itself. Ask puts one question to a program or a model, and once more if the answer cannot be
// parsed. The package never judges the work or an answer, and knows nothing of snapshots or the journal.
package agent
