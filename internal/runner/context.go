package runner

import "github.com/belay-dev/belay/internal/session"

// contextEnv adds the path of the context file to an agent's environment. A failure must not
// lose the attempt, so it is reported and not returned.
func (d *Driver) contextEnv(env map[string]string, role string) map[string]string {
	path, err := d.Session.WriteContext(d.Record, role)
	if err != nil {
		d.Observer.Note("the task's context could not be written for the agent: " + session.ErrorLine(err))
	}
	if path != "" {
		env[session.ContextVar] = path
	}
	return env
}
