package lint

import (
	"encoding/json"
	"io"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// sarifRun is one run; its rules may follow its results.
type sarifRun struct {
	tool        sarifTool
	bases       map[string]sarifFile
	artifacts   []sarifArtifact
	invocations []sarifInvocation
	results     []sarifResult
}

// readSARIF parses the runs one after the other. The level of a result is its own, or the run's
// override, or its rule's default, or warning. Results that are suppressed, absent or passed are
// left out.
func readSARIF(in *io.LimitedReader) (Report, error) {
	r := Report{Format: SARIF}
	dec := json.NewDecoder(in)
	begun, err := eachKey(dec, func(key string) error {
		if key != "runs" {
			return skipValue(dec)
		}
		return eachItem(dec, func() error {
			var run sarifRun
			err := run.read(&r, dec)
			run.addRemarks(&r)
			return err
		})
	}, "runs")
	if err != nil || !begun {
		return r.readError(in, err, begun)
	}
	return r, nil
}

func (run *sarifRun) read(r *Report, dec *json.Decoder) error {
	_, err := eachKey(dec, func(key string) error {
		switch key {
		case "tool":
			return decodeLenient(dec, &run.tool)
		case "originalUriBaseIds":
			return decodeLenient(dec, &run.bases)
		case "artifacts":
			return decodeLenient(dec, &run.artifacts)
		case "invocations":
			return decodeLenient(dec, &run.invocations)
		case "results":
			return eachItem(dec, func() error {
				var one sarifResult
				if err := decodeLenient(dec, &one); err != nil {
					return err
				}
				if len(run.results)+len(r.Remarks) >= maxRemarks {
					r.WarnIncomplete("more than %d remarks; the rest were not read", maxRemarks)
				} else {
					run.results = append(run.results, one)
				}
				return nil
			})
		}
		return skipValue(dec)
	}, "")
	return err
}

// addRemarks adds a run's results as remarks.
func (run *sarifRun) addRemarks(r *Report) {
	for _, c := range run.invocations {
		run.addInvocation(r, c)
	}
	for _, one := range run.results {
		switch {
		case one.isSuppressed():
			r.Suppressed++
			continue
		case one.BaselineState == "absent":
			continue
		}
		rule, id := run.findRule(one)
		level, wanted := run.findLevel(one, rule, id)
		if !wanted {
			continue
		}
		m := Remark{Severity: level, Rule: id, Message: one.messageText(rule), Tool: run.tool.Driver.Name}
		if m.Tool == "" {
			m.Tool = run.tool.Name
		}
		run.setPlace(one, &m)
		r.add(m)
	}
}

// addInvocation adds the tool's notifications about files, such as parse errors, as remarks. If the
// run failed without naming a file, the report is incomplete.
func (run *sarifRun) addInvocation(r *Report, c sarifInvocation) {
	placed := false
	for _, n := range append(c.OfRun, c.OfConfiguration...) {
		one := sarifResult{Level: n.Level, Message: n.Message, Locations: n.Locations}
		level, _ := run.findLevel(one, nil, "")
		m := Remark{Severity: level, Message: one.messageText(nil), Tool: run.tool.Driver.Name}
		if run.setPlace(one, &m); m.File != "" && level != "" {
			placed = placed || level == belay.SeverityError
			r.add(m)
		}
	}
	if c.ExecutionSuccessful != nil && !*c.ExecutionSuccessful && !placed {
		r.WarnIncomplete("the tool reports that its run failed")
	}
}

func (one sarifResult) isSuppressed() bool {
	for _, s := range one.Suppressions {
		if status := s.Status + s.State; status != "rejected" && status != "underReview" {
			return true
		}
	}
	return false
}

// findRule returns the descriptor of a result's rule, nil without one, and its ID.
func (run *sarifRun) findRule(one sarifResult) (*sarifRule, string) {
	id, index := one.RuleID, one.RuleIndex
	if id == "" {
		id = one.Rule.ID
	}
	if index == nil {
		index = one.Rule.Index
	}
	rules := run.tool.Driver.Rules
	if at := one.Rule.ToolComponent.Index; at != nil && *at >= 0 && *at < len(run.tool.Extensions) {
		rules = run.tool.Extensions[*at].Rules
	}
	if index != nil && *index >= 0 && *index < len(rules) {
		if id == "" {
			id = rules[*index].ID
		}
		return &rules[*index], id
	}
	for name := id; name != ""; { // CA1000/1 is a case of CA1000
		for i := range rules {
			if rules[i].ID == name {
				return &rules[i], id
			}
		}
		cut := strings.LastIndexByte(name, '/')
		name = name[:max(0, cut)]
	}
	return nil, id
}

// findLevel returns the severity of a result, and whether it is a result at all.
func (run *sarifRun) findLevel(one sarifResult, rule *sarifRule, id string) (belay.Severity, bool) {
	switch one.Kind {
	case "", "fail":
	case "pass", "notApplicable":
		return "", false
	default: // open, review, informational
		return belay.SeverityNote, true
	}
	level := one.Level
	for _, c := range run.invocations {
		for _, o := range c.ConfigurationChanges {
			same := o.Descriptor.ID != "" && o.Descriptor.ID == id ||
				o.Descriptor.Index != nil && one.RuleIndex != nil && *o.Descriptor.Index == *one.RuleIndex
			if level == "" && same {
				level = o.Configuration.Level
			}
		}
	}
	if level == "" && rule != nil {
		level = rule.DefaultConfiguration.Level + rule.Configuration.DefaultLevel + rule.DefaultLevel
	}
	switch level {
	case "none", "open", "pass", "notApplicable":
		return "", false
	}
	if s := parseSeverity(level); s != "" {
		return s, true
	}
	return belay.SeverityWarning, true
}

// messageText returns a result's message: its text, or its rule's with the arguments inserted.
func (one sarifResult) messageText(rule *sarifRule) string {
	var m sarifText
	if json.Unmarshal(one.Message, &m) != nil {
		json.Unmarshal(one.Message, &m.Text) // 1.0.0 has a plain string
	}
	said := m.Text
	if said == "" && rule != nil && m.ID != "" {
		said = rule.MessageStrings[m.ID].Text
	}
	if said == "" {
		said = m.Markdown
	}
	for i, arg := range m.Arguments[:min(len(m.Arguments), 20)] {
		said = strings.ReplaceAll(said, "{"+strconv.Itoa(i)+"}", arg)
		said = said[:min(len(said), 4*maxMessage)]
	}
	return strings.ToValidUTF8(said, "")
}

// setPlace sets the first location that names a file.
func (run *sarifRun) setPlace(one sarifResult, m *Remark) {
	for _, l := range one.Locations {
		p := l.PhysicalLocation
		if p.URI+p.ArtifactLocation.URI+p.FileLocation.URI == "" && l.ResultFile.URI != "" {
			p = l.ResultFile
		}
		f := p.ArtifactLocation
		if f.URI == "" && f.Index == nil {
			f = p.FileLocation
		}
		if f.URI == "" && f.Index == nil {
			f.URI = p.URI
		}
		if m.File = run.resolveFile(f); m.File != "" {
			m.Line, m.Column, m.EndLine, m.EndColumn = p.Region.StartLine, p.Region.StartColumn, p.Region.EndLine, p.Region.EndColumn
			return
		}
	}
}

// resolveFile resolves a location to a path: by the list of artifacts, its base, and the base's
// bases.
func (run *sarifRun) resolveFile(f sarifFile) string {
	if f.URI == "" && f.Index != nil && *f.Index >= 0 && *f.Index < len(run.artifacts) {
		f = run.artifacts[*f.Index].Location
	}
	if f.URI == "" {
		return ""
	}
	name, whole := pathOf(f.URI)
	for depth := 0; !whole && f.URIBaseID != "" && depth < 8; depth++ {
		base, known := run.bases[f.URIBaseID]
		if !known || base.URI == "" {
			break // usually a name for the root of the sources
		}
		var dir string
		dir, whole = pathOf(base.URI)
		name = path.Join(dir, name)
		f = base
	}
	return name
}

// pathOf returns the path of a URI, and whether it is absolute.
func pathOf(uri string) (string, bool) {
	rest, isFile := strings.CutPrefix(uri, "file://")
	if isFile {
		if at := strings.IndexByte(rest, '/'); at > 0 { // file://host/path
			rest = rest[at:]
		}
		if len(rest) > 2 && rest[0] == '/' && rest[2] == ':' { // file:///C:/path
			rest = rest[1:]
		}
	} else {
		rest = strings.TrimPrefix(rest, "file:")
	}
	if plain, err := url.PathUnescape(rest); err == nil {
		rest = plain
	}
	return rest, isFile || strings.HasPrefix(rest, "/")
}
