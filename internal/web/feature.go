package web

import (
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// featureView is a feature in the form that its page shows.
type featureView struct {
	FleetFeature
	Asks []featureAsks
}

type featureAsks struct {
	gateQuestion
	Task belay.TaskID
}

// featureChoices are the answers at a feature's gates, with their keys.
var featureChoices = map[loop.Decision]choice{
	loop.DecideRetry: {Key: "t", Meaning: "do the task again, from what is merged now; what you write is added to its text"},
	"merge":          {Key: "m", Meaning: "merge the same work again, and test the result"},
	"drop":           {Key: "d", Meaning: "leave the task out, and those that depend on its work", Final: true},
	"stop":           {Key: "x", Meaning: "end the feature; what is merged stays on the branch", Final: true},
	Resume:           {Key: "e", Meaning: "continue where it was stopped"},
}

func newFeatureView(f FleetFeature) featureView {
	v := featureView{FleetFeature: f}
	for _, g := range f.Gates {
		a := featureAsks{gateQuestion: gateQuestion{Number: g.Number, Why: g.Why}, Task: g.Task}
		for _, d := range g.Decisions {
			c := featureChoices[d]
			c.Decision = d
			a.Choices = append(a.Choices, c)
		}
		v.Asks = append(v.Asks, a)
	}
	return v
}

// Waits returns what the feature waits for; "" if it does not wait for a person.
func (f featureView) Waits() string {
	var all []string
	for _, g := range f.Gates {
		all = append(all, strings.TrimPrefix(string(g.Task)+": "+g.Why, ": "))
	}
	return strings.Join(all, "; ")
}

// Mark returns the state of a feature's task.
func (p FleetPart) Mark() mark {
	switch p.Stage {
	case "merged":
		return mark{"good", "✓", "merged"}
	case "gate":
		return mark{"waits", "?", "waits for you"}
	case "dropped":
		return mark{"ended", "–", "dropped"}
	case "accepted":
		return mark{"plain", "○", "accepted, not merged"}
	case "waiting":
		return mark{"plain", "○", "not started"}
	case "merging":
		return mark{"runs", "▸", "merging"}
	}
	return stateMark(p.Phase, loop.OutcomeNone, p.Waits, "")
}

// features returns the fleet's features, nil without a fleet.
func (q *request) features() (list []featureView) {
	if q.repo.Fleet == nil {
		return nil
	}
	for _, f := range q.repo.Fleet.Features() {
		list = append(list, newFeatureView(f))
	}
	return list
}

// requestedFeature returns the feature that a page of the fleet is about.
func (q *request) requestedFeature() (FleetFeature, error) {
	key := q.PathValue("feature")
	if q.repo.Fleet != nil {
		if f, ok := q.repo.Fleet.Feature(q.Context(), key); ok {
			return f, nil
		}
	}
	return FleetFeature{}, belay.Refuse(belay.CodeNotFound, "belay-fleet list", "no feature %s", belay.VisibleLine(key))
}

func (q *request) feature() error {
	f, err := q.requestedFeature()
	if err != nil {
		return err
	}
	return q.show("feature", f.Name, newFeatureView(f))
}

// decideFeature sends an answer to a gate of a feature.
func (q *request) decideFeature() error {
	f, err := q.requestedFeature()
	if err != nil {
		return err
	}
	a := q.gateAnswer()
	if c := featureChoices[a.Decision]; c.Final && q.PostFormValue("sure") == "" {
		return q.confirm(confirmation{Of: f.Name, Title: fmt.Sprintf("Gate %d", a.Gate), Then: asSentence(c.Meaning)}, a)
	}
	if err := q.repo.Fleet.DecideFeature(q.Context(), f.Key, a); err != nil {
		return err
	}
	return q.redirect(strings.TrimSuffix(q.URL.Path, "/decide"))
}

func asSentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }
