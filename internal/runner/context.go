package runner

import "github.com/belay-dev/belay/internal/session"

// contextEnv adds the file of the context to an agent's environment. Losing it must not
// lose the attempt, so a failure is said and not returned.
func (d *Driver) contextEnv(env map[string]string, role string) map[string]string {
	path, err := d.Session.WriteContext(d.Rec, role)
	if err != nil {
		d.Watch.Note("the task's context could not be written for the agent: " + session.Sentence(err))
	}
	if path != "" {
		env[session.ContextVar] = path
	}
	return env
}
