package agent

// Three processes take part. Start spawns the guard, which spawns the shim, which
// spawns the agent. The shim holds the pipes, the log and the clock and writes the
// result. The guard waits for the shim and does nothing, unless the shim dies before
// its time: then it ends what the shim left. Both hold the run's lock as an inherited
// descriptor, so "does it still run" is a question to the kernel and never to a
// process id; the lock comes free only when nobody is left.

// A run's folder holds:

//	lock        held (flock) by guard and shim for as long as the run lasts
//	spec.json   the command and its limits; the environment is never written down
//	prompt      the prompt, also on the agent's standard input
//	begun.json  written just before the agent starts: who runs, since when
//	out/000000  the output, stdout and stderr together, in segments of 1 MiB
//	stop, kill  requests to end it, in time or at once
//	result.json how it ended, written last, after the last process is dead
//	shim.log    what the guard and the shim themselves had to say, normally nothing

// The package judges nothing and knows nothing of snapshots or the journal.
