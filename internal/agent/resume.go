package agent

import (
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// sessionID matches what may be added to a command as the ID of a session: an agent printed it, so
// it must not be read as a flag.
var sessionID = lazyregexp.New(`^[0-9A-Za-z][0-9A-Za-z_-]{3,127}$`)

// SessionOf returns the session that an agent's stream names; the zero value if the agent's
// sessions cannot be resumed, or if id is not valid as an argument.
func SessionOf(argv []string, id string) belay.AgentSession {
	p, _, ok := Recognise(argv)
	if !ok || len(p.ResumeWords) == 0 || !sessionID.MatchString(id) {
		return belay.AgentSession{}
	}
	return belay.AgentSession{Agent: p.Name, ID: id}
}

// ResumeSession returns the words after an agent's command that resume a session. ok is false if
// the command is of another agent, or chooses a session itself.
func ResumeSession(argv []string, s belay.AgentSession) (words []string, ok bool) {
	p, args, known := Recognise(argv)
	if !known || s.ID == "" || p.Name != s.Agent || !sessionID.MatchString(s.ID) {
		return nil, false
	}
	return p.sessionWords(args, p.ResumeWords, s.ID)
}

// BeginSession returns the words after an agent's command that begin a session with a new random
// ID; ok is false if the agent names its sessions early enough, or the command chooses a session
// itself.
func BeginSession(argv []string) (words []string, ok bool) {
	p, args, known := Recognise(argv)
	if !known {
		return nil, false
	}
	return p.sessionWords(args, p.BeginWords, newUUID())
}

// sessionWords fills in the ID of a session, unless the command chooses its session itself.
func (p Preset) sessionWords(args, form []string, id string) (words []string, ok bool) {
	if len(form) == 0 || hasFlag(args, p.Sessions) || slices.Contains(args, "--") { // words after -- would be part of the prompt
		return nil, false
	}
	for _, word := range form {
		words = append(words, strings.ReplaceAll(word, "ID", id))
	}
	return words, true
}

// newUUID makes a random UUID (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Session returns the session that the run was started with by BeginWords, "" without one.
func (r *Run) Session() string {
	argv := make([]string, len(r.spec.Argv))
	for i, word := range r.spec.Argv {
		argv[i] = string(word)
	}
	p, _, _ := Recognise(argv)
	if len(p.BeginWords) == 0 || len(argv) < len(p.BeginWords) {
		return ""
	}
	last := argv[len(argv)-len(p.BeginWords):]
	for i, form := range p.BeginWords {
		before, after, found := strings.Cut(form, "ID")
		if id, ok := strings.CutPrefix(last[i], before); found && ok {
			return strings.TrimSuffix(id, after)
		}
	}
	return ""
}

// noSuchSession matches how agents report an unknown session.
var noSuchSession = lazyregexp.New(`(?i)no (?:conversation|session|saved session|rollout|thread)s?\b.{0,40}\bfound|` +
	`(?:session|conversation|thread)\b.{0,80}\b(?:not found|does not exist|not exist|no longer exists)|` +
	`no session, task, or name matched|invalid session|no previous sessions|error resuming session|thread/resume failed`)

// SessionMissing reports whether an agent that should resume a session did nothing and ended
// because the session does not exist, or because its version cannot resume.
func SessionMissing(output io.Reader) bool {
	worked := false
	var tail lastBytes
	r := StreamReader{Listener: &callListener{onCall: func() { worked = true }}}
	_, _ = io.Copy(io.MultiWriter(&r, &tail), output)
	r.Close()
	return !worked && (noSuchSession.Match(tail.bytes) || unknownFlag.Match(tail.bytes))
}

// lastBytes keeps the last bytes written to it.
type lastBytes struct{ bytes []byte }

func (l *lastBytes) Write(p []byte) (int, error) {
	const most = 16 << 10
	l.bytes = append(l.bytes, p...)
	if len(l.bytes) > 2*most {
		l.bytes = slices.Clone(l.bytes[len(l.bytes)-most:])
	}
	return len(p), nil
}
