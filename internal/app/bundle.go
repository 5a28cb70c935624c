package app

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/session"
)

// evidenceBundle is what is needed to verify a commit and is not in a clone: the lines of the
// record, the reports that they refer to, and the git trees in which the two states differ. It
// contains no file of the project. Its bytes must be exactly what json.Marshal writes, so that it
// cannot contain bytes that are not verified.
type evidenceBundle struct {
	Version     int               `json:"belay_bundle"`
	Task        belay.TaskID      `json:"task"`
	Record      []string          `json:"record"`      // lines, each with its hash
	Attachments map[string][]byte `json:"attachments"` // by SHA-256
	Trees       map[string][]byte `json:"trees"`       // git's objects, by their names
	Envelope    *envelope         `json:"envelope,omitempty"`
}

// envelope is a DSSE envelope (https://github.com/secure-systems-lab/dsse, protocol 1.0) around an
// in-toto statement. The signature has the format of the signing program: SSHSIG or OpenPGP, both
// binary.
type envelope struct {
	PayloadType string          `json:"payloadType"`
	Payload     []byte          `json:"payload"`
	Signatures  []dsseSignature `json:"signatures"`
}

type dsseSignature struct {
	Sig []byte `json:"sig"`
}

// statement is an in-toto statement, version 1 (https://in-toto.io/Statement/v1).
type statement struct {
	Type      string    `json:"_type"`
	Subject   []subject `json:"subject"`
	Predicate string    `json:"predicateType"`
	Claims    predicate `json:"predicate"`
}

type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// predicate is the content of a statement about a commit.
type predicate struct {
	Task    belay.TaskID `json:"task"`
	Before  string       `json:"before"`
	After   string       `json:"after"`
	Head    string       `json:"record_head"` // of the complete record when it was signed
	Entries int          `json:"record_entries"`
	Checks  []checkClaim `json:"checks"`
	Belay   string       `json:"belay"`
}

type checkClaim struct {
	Check   string        `json:"check"`
	Verdict belay.Verdict `json:"verdict"`
}

const (
	bundleVersion = 1
	maxBundle     = 256 << 20
	intoto        = "application/vnd.in-toto+json"
	predicateType = "https://github.com/belay-dev/belay/docs/pull-requests.md#statement-v1"
	sshNamespace  = "belay"
)

// pae returns the bytes that are signed: DSSE's pre-authentication encoding.
func (e envelope) pae() []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(e.PayloadType), e.PayloadType, len(e.Payload), e.Payload)
}

// readBundle verifies everything that can be verified within a bundle. A fault in the record goes
// to ev.recordError; any other fault is an error (CodeRefused).
func readBundle(text []byte, task belay.TaskID) (ev evidence, err error) {
	bad := func(what string, args ...any) error {
		return belay.Refuse(belay.CodeRefused, "get it again from where it was made", "the bundle is damaged: "+what, args...)
	}
	var b evidenceBundle
	if len(text) > maxBundle {
		return ev, bad("it is larger than %d bytes", maxBundle)
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return ev, bad("%v", err)
	}
	again, err := json.Marshal(b)
	if err != nil || !bytes.Equal(append(again, '\n'), text) {
		return ev, bad("it has bytes that belay does not write")
	}
	if b.Version != bundleVersion {
		return ev, belay.Refuse(belay.CodeCannot, "use the version of belay that wrote it", "the bundle has version %d", b.Version)
	}
	for sha, data := range b.Attachments {
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != sha {
			return ev, bad("the attachment %s does not match its hash", shortID(sha))
		}
	}
	var last journal.Line
	for i, line := range b.Record {
		l, err := journal.Next([]byte(line+"\n"), last, b.Task)
		if err != nil {
			ev.recordError = fmt.Errorf("line %d: %w", i+1, err)
			break
		}
		last = l
		ev.log.Entries = append(ev.log.Entries, l.Entry)
	}
	ev.log.Task, ev.log.Head = b.Task, last.Head()
	if b.Task.Key() != task.Key() {
		ev.recordError = fmt.Errorf("it is the record of %s", b.Task)
	}
	ev.note, ev.envelope = ", of the bundle", b.Envelope
	ev.attachment = fromMap(b.Attachments)
	ev.object = fromMap(b.Trees)
	return ev, nil
}

func fromMap(all map[string][]byte) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if data, ok := all[name]; ok {
			return data, nil
		}
		return nil, errors.New("it is not in the bundle")
	}
}

// Bundle returns the evidence for the last commit that belay made of a task, signed with the user's own git key when
// sign is set.
func (s *Service) Bundle(ctx context.Context, name, version string, sign, trust bool) ([]byte, error) {
	records, _, err := s.pullRecords(name)
	if err != nil {
		return nil, err
	}
	r := records[len(records)-1]
	var made *session.Committed
	for _, n := range r.Notes {
		if n.Kind == session.CommittedNote {
			made = n.Commit
		}
	}
	if len(records) != 1 || made == nil {
		return nil, belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay pr %s --commit", r.Task.ID),
			"there is no commit of %s that belay made", r.Task.ID)
	}
	b := evidenceBundle{Version: bundleVersion, Task: r.Log.Task, Attachments: map[string][]byte{}, Trees: map[string][]byte{}}
	var prev string
	for _, e := range r.Log.Entries {
		line, err := journal.Make(&journal.Line{Entry: journal.Entry{Seq: e.Seq, Time: e.Time, Type: e.Type, Data: e.Data,
			Prev: prev}, Task: r.Log.Task})
		if err != nil {
			return nil, err
		}
		b.Record, prev = append(b.Record, strings.TrimSuffix(string(line), "\n")), e.Hash
	}
	reports := []string{r.State.BaselineReport}
	for _, a := range r.State.Attempts {
		reports = append(reports, a.Report)
	}
	for _, sha := range reports {
		if sha == "" {
			continue
		}
		if b.Attachments[sha], err = s.Session.Journal.Attachment(sha); err != nil {
			return nil, err
		}
	}
	collect := func(oid string) ([]byte, error) {
		data, err := s.readTreeObject(oid)
		b.Trees[oid] = data
		return data, err
	}
	if err := treeDiff(s.Session.Repo, collect, made.Before, made.After, "", map[string][2]blob{}); err != nil {
		return nil, err
	}
	if sign {
		if err := s.checkCommitPrograms(ctx, false, trust); err != nil {
			return nil, err
		}
		if b.Envelope, err = s.signStatement(ctx, r, *made, version); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(b)
	return append(text, '\n'), err
}

// newStatement makes the statement about a commit.
func newStatement(r *session.Record, made session.Committed, report belay.Report, version string) statement {
	p := predicate{Task: r.Task.ID, Before: made.Before, After: made.After, Head: r.Log.Head.Hash, Entries: r.Log.Head.Seq,
		Belay:  version,
		Checks: []checkClaim{}}
	for _, c := range report.Checks {
		if !c.Skipped {
			p.Checks = append(p.Checks, checkClaim{c.Check, c.Verdict})
		}
	}
	return statement{Type: "https://in-toto.io/Statement/v1", Predicate: predicateType, Claims: p,
		Subject: []subject{{Name: "commit", Digest: map[string]string{"gitCommit": made.ID}}}}
}

func (s *Service) signStatement(ctx context.Context, r *session.Record, made session.Committed, version string) (*envelope, error) {
	report, err := s.Session.Report(r.State.Attempts[len(r.State.Attempts)-1].Report)
	if err != nil {
		return nil, err
	}
	payload, err := json.Marshal(newStatement(r, made, report, version))
	if err != nil {
		return nil, err
	}
	e := &envelope{PayloadType: intoto, Payload: payload}
	sig, err := s.signText(ctx, e.pae())
	e.Signatures = []dsseSignature{{sig}}
	return e, err
}

// gitSetting reads one git setting as git does.
func (s *Service) gitSetting(ctx context.Context, scope, key string) string {
	args := []string{"config", "--get", key}
	if scope != "" {
		args = []string{"config", scope, "--get", key}
	}
	out, _ := git.RunUserCommand(s.Session.Repo.UserCommand(ctx, args...), nil, nil)
	return strings.TrimRight(string(out), "\n")
}

// signText signs a text with the program and the key that git signs commits with.
func (s *Service) signText(ctx context.Context, text []byte) ([]byte, error) {
	key := s.gitSetting(ctx, "", "user.signingkey")
	switch format := cmp.Or(s.gitSetting(ctx, "", "gpg.format"), "openpgp"); format {
	case "ssh":
		if key == "" {
			return nil, belay.Refuse(belay.CodeCannot, "git config --global user.signingkey ~/.ssh/id_ed25519.pub",
				"git has no signing key")
		}
		if strings.HasPrefix(key, "~/") {
			if home, err := os.UserHomeDir(); err == nil {
				key = filepath.Join(home, key[2:])
			}
		}
		out, err := runSigner(ctx, text, cmp.Or(s.gitSetting(ctx, "", "gpg.ssh.program"), "ssh-keygen"), "-Y", "sign", "-n", sshNamespace,
			"-f", key)
		if err != nil {
			return nil, err
		}
		block, _ := pem.Decode(out)
		if block == nil {
			return nil, belay.Refuse(belay.CodeCannot, "check gpg.ssh.program", "the signing program printed no signature")
		}
		return block.Bytes, nil
	case "openpgp":
		args := []string{"--detach-sign", "--no-armor"}
		if key != "" {
			args = append(args, "-u", key)
		}
		program := cmp.Or(s.gitSetting(ctx, "", "gpg.openpgp.program"), s.gitSetting(ctx, "", "gpg.program"), "gpg")
		return runSigner(ctx, text, program, args...)
	default:
		return nil, belay.Refuse(belay.CodeCannot, "git config gpg.format ssh", "gpg.format %s cannot sign a bundle",
			belay.VisibleLine(format))
	}
}

func runSigner(ctx context.Context, text []byte, program string, args ...string) ([]byte, error) {
	out, err := git.RunUserCommand(git.SigningProgram(ctx, program, args...), bytes.NewReader(text), nil)
	if err != nil {
		return nil, &belay.Error{Code: belay.CodeCannot, What: "cannot sign with " + belay.VisibleLine(program), Err: err,
			Try: "check user.signingkey: git commit -S has to work"}
	}
	return out, nil
}

// verifyEnvelope verifies an envelope's signature, and that its statement is about this commit and this record. It
// returns the signer.
func (s *Service) verifyEnvelope(ctx context.Context, e *envelope, c commitObject, then *session.Record, ev evidence,
	signers string) (string, error) {
	if e == nil {
		return "", errors.New("there is none")
	}
	if e.PayloadType != intoto || len(e.Signatures) != 1 {
		return "", errors.New("the envelope is not one of belay's")
	}
	whole, err := session.Fold(ev.log)
	if err != nil {
		return "", err
	}
	var said statement
	if err := json.Unmarshal(e.Payload, &said); err != nil {
		return "", err
	}
	var report belay.Report
	accepted := then.State.Attempts[len(then.State.Attempts)-1]
	if text, err := ev.attachment(accepted.Report); err != nil || json.Unmarshal(text, &report) != nil {
		return "", errors.New("the report is not there")
	}
	want, err := json.Marshal(newStatement(whole, session.Committed{ID: c.ID, Before: c.Trailers.before, After: c.Trailers.after}, report,
		said.Claims.Belay))
	if err != nil {
		return "", err
	}
	if !bytes.Equal(want, e.Payload) {
		return "", errors.New("the statement is about another commit, or another state of the record")
	}
	return s.verifySignature(ctx, e.pae(), e.Signatures[0].Sig, signers)
}

// verifySignature verifies a signature with the user's programs and list of signers, never with those in the
// repository's config.
func (s *Service) verifySignature(ctx context.Context, text, sig []byte, signers string) (string, error) {
	dir, err := os.MkdirTemp("", "belay-verify-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "sig")
	if !bytes.HasPrefix(sig, []byte("SSHSIG")) {
		if err := os.WriteFile(path, sig, 0o600); err != nil {
			return "", err
		}
		program := cmp.Or(s.gitSetting(ctx, "--global", "gpg.openpgp.program"), s.gitSetting(ctx, "--global", "gpg.program"), "gpg")
		out, err := git.RunUserCommand(git.SigningProgram(ctx, program, "--status-fd", "1", "--verify", path, "-"),
			bytes.NewReader(text), nil)
		good, key := false, "" // VALIDSIG is also printed for expired and revoked keys
		for line := range strings.Lines(string(out)) {
			if f := strings.Fields(line); len(f) > 2 && f[1] == "VALIDSIG" {
				key = f[2]
			} else if len(f) > 1 {
				good = good || f[1] == "GOODSIG"
			}
		}
		if err == nil && good && key != "" {
			return "OpenPGP key " + key, nil
		}
		return "", cmp.Or(err, errors.New("the signature is not valid"))
	}
	if signers == "" {
		signers = s.gitSetting(ctx, "--global", "gpg.ssh.allowedsignersfile")
	}
	if signers == "" {
		return "", errors.New("no allowed signers are known: --signers FILE, or git config --global gpg.ssh.allowedSignersFile")
	}
	if strings.HasPrefix(signers, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			signers = filepath.Join(home, signers[2:])
		}
	}
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "SSH SIGNATURE", Bytes: sig}), 0o600); err != nil {
		return "", err
	}
	program := cmp.Or(s.gitSetting(ctx, "--global", "gpg.ssh.program"), "ssh-keygen")
	out, err := git.RunUserCommand(git.SigningProgram(ctx, program, "-Y", "find-principals", "-s", path, "-f", signers), nil, nil)
	names := strings.Fields(string(out))
	if err != nil || len(names) == 0 {
		return "", errors.New("its key is not one of the allowed signers")
	}
	who := slices.Min(names)
	if _, err := git.RunUserCommand(git.SigningProgram(ctx, program, "-Y", "verify", "-n", sshNamespace, "-f", signers, "-I",
		who, "-s", path),
		bytes.NewReader(text), nil); err != nil {
		return "", errors.New("the signature is not valid")
	}
	return "SSH key of " + who, nil
}
