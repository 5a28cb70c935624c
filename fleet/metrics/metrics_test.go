package metrics

import (
	"math"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/belay-dev/belay/internal/telemetry"
)

// scrape parses a registry's output, like Prometheus.
func scrape(t *testing.T, r *Registry) map[string]*dto.MetricFamily {
	t.Helper()
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	p := expfmt.NewTextParser(model.LegacyValidation)
	all, err := p.TextToMetricFamilies(w.Body)
	if err != nil || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("%v, %v", err, w.Header())
	}
	return all
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	r := &Registry{}
	if all := scrape(t, r); len(all) != 0 {
		t.Errorf("an empty registry has %v", all)
	}
	sample := []telemetry.Sample{
		{Name: "belay.attempts", Help: "Runs", Unit: "{attempt}", Labels: []string{"gen_ai.agent.name", "a\"b\\c\nd\xff"}, Value: 2},
		{Name: "belay.cost", Help: "Cost\nof \\", Unit: "USD", Value: 0.25},
		{Name: "belay.step.duration", Help: "Steps", Unit: "s", Labels: []string{"belay.step", "check"}, Value: 3.5, Bounds: []float64{1, 2},
			Counts: []uint64{1, 0, 2}},
	}
	r.Add(sample)
	r.Add(sample)
	h := r.Handler().WithTags(map[string]string{"namespace": "team", "0-x": "y"})
	h.Counter("temporal_request").Inc(3)
	h.WithTags(map[string]string{"operation": "Poll"}).Counter("temporal_request").Inc(4)
	h.Gauge("temporal_slots").Update(7)
	h.Timer("temporal_latency").Record(20 * time.Millisecond)
	h.Timer("temporal_latency").Record(3 * time.Hour)
	h.Timer("temporal_slots").Record(time.Second)
	h.Gauge("temporal_request_total").Update(99) // a counter has this name
	phase := "gate"
	r.Gauges(func(set Set) { set("belay_tasks_open", "Tasks", 5, "phase", phase) })
	scrape(t, r)
	phase = "check"
	all := scrape(t, r)
	counter := func(name string, i int) float64 { return all[name].GetMetric()[i].GetCounter().GetValue() }
	if counter("belay_attempts_total", 0) != 4 || counter("belay_cost_usd_total", 0) != 0.5 || counter("temporal_request_total", 0)+
		counter("temporal_request_total", 1) != 7 {
		t.Errorf("%v", all)
	}
	if got := all["belay_attempts_total"].GetMetric()[0].GetLabel()[0]; got.GetName() != "gen_ai_agent_name" || got.GetValue() != "a\"b\\c\nd?" {
		t.Errorf("%v", got)
	}
	steps := all["belay_step_duration_seconds"].GetMetric()[0].GetHistogram()
	if steps.GetSampleCount() != 6 || steps.GetSampleSum() != 7 || len(steps.GetBucket()) != 3 || steps.GetBucket()[1].GetCumulativeCount() != 2 {
		t.Errorf("%v", steps)
	}
	took := all["temporal_latency_seconds"].GetMetric()[0].GetHistogram()
	last := took.GetBucket()[len(took.GetBucket())-1]
	if took.GetSampleCount() != 2 || last.GetCumulativeCount() != 2 || !math.IsInf(last.GetUpperBound(), 1) ||
		took.GetBucket()[2].GetCumulativeCount() != 1 {
		t.Errorf("%v", took)
	}
	if g := all["belay_tasks_open"].GetMetric(); len(g) != 1 || g[0].GetLabel()[0].GetValue() != "check" || g[0].GetGauge().GetValue() != 5 {
		t.Errorf("%v", g)
	}
	if g := all["temporal_slots"].GetMetric()[0].GetGauge().GetValue(); g != 7 {
		t.Errorf("%v", g)
	}
}

// FuzzText: for any names and values, the output can be parsed.
func FuzzText(f *testing.F) {
	f.Add("a.b", "By", "k", "v", 1.5)
	f.Add("", "s", "", "\"\n\\", -1.0)
	f.Add("0", "{x}", "le", "\xff", 0.0)
	f.Fuzz(func(t *testing.T, name, unit, label, value string, v float64) {
		if plainName(label) == "le" && strings.HasSuffix(name, "x") {
			return
		}
		r := &Registry{}
		r.Add([]telemetry.Sample{{Name: "x" + name, Help: value, Unit: unit, Labels: []string{"l_" + label, value}, Value: v}})
		if len(scrape(t, r)) != 1 {
			t.Errorf("%q cannot be read", r.exposition())
		}
	})
}
