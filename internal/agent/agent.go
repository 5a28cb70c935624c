package agent

// Three processes take part. Start spawns the guard, which spawns the shim, which spawns the agent.
// The shim owns the pipes, the log and the clock, and writes the result. The guard waits for the
// shim; if the shim dies early, the guard kills the processes that it left. Both inherit the
// descriptor of the run's lock, so the kernel answers whether the run is alive, never a process id.
// The lock becomes free when both have ended.

// A run's folder contains:

//	lock        held (flock) by guard and shim for as long as the run lasts
//	spec.json   the command and its limits; the environment is never written down
//	prompt      the prompt, also on the agent's standard input
//	begun.json  written just before the agent starts: the processes and their start
//	out/000000  the output, stdout and stderr together, in segments of 1 MiB
//	stop, kill  requests to end it, in time or at once
//	result.json how it ended, written last, after the last process is dead
//	shim.log    errors of the guard and the shim, normally empty

// The package judges nothing and does not use snapshots or the journal.
