package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/telemetry"
)

// telemetryTime limits how long a run waits for a collector at its end.
const telemetryTime = 2 * time.Second

// TelemetrySent is the result of sending a task's telemetry.
type TelemetrySent struct {
	Task    belay.TaskID       `json:"task"`
	Results []telemetry.Result `json:"results"`
}

// telemetrySettings returns the collectors. It uses only trusted parts of the config; untrusted
// reports that there are others.
func (svc *Service) telemetrySettings() (s telemetry.Settings, untrusted bool, err error) {
	c := svc.Session.Config.Telemetry
	trusted := func(key string, values ...string) bool {
		ok, terr := svc.Session.Gate.Setting(key, values...)
		err = errors.Join(err, terr)
		untrusted = untrusted || !ok
		return ok
	}
	g := telemetry.Choices{Env: os.Getenv}
	if c.Endpoint != "" && trusted("telemetry.endpoint", c.Endpoint) {
		g.Endpoint = c.Endpoint
	}
	if len(c.Headers) > 0 && trusted("telemetry.headers", c.Headers...) {
		g.Headers = c.Headers
	}
	if c.Content {
		g.Content = trusted("telemetry.content", "true")
	}
	if err != nil {
		return s, untrusted, err
	}
	s, err = telemetry.NewSettings(g)
	return s, untrusted, err
}

// sendAtEnd sends a task's telemetry at the end of a run, if a person enabled it. It never fails:
// what a collector did not accept within two seconds is sent later.
func (s *Service) sendAtEnd(ctx context.Context, task belay.TaskID, w runner.Observer) {
	if s.Session.Config.Telemetry.Endpoint == "" && os.Getenv(telemetry.SwitchVar) != "1" {
		return
	}
	to, untrusted, err := s.telemetrySettings()
	switch {
	case err != nil:
		w.Note("telemetry was not sent: " + session.ErrorLine(err))
	case untrusted && os.Getenv(telemetry.SwitchVar) != "0":
		w.Note("telemetry settings of this repository are not trusted, so they have no effect (belay trust)")
	}
	if err != nil || !to.IsOn() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), telemetryTime)
	defer cancel()
	sent, err := s.sendTelemetry(ctx, task, to, false)
	if err != nil {
		w.Note("telemetry waits to be sent (belay telemetry send): " + session.ErrorLine(err))
	}
	for _, r := range sent.Results {
		if r.Rejected > 0 || r.Message != "" {
			w.Note(fmt.Sprintf("the collector rejected %d of the %s: %s", r.Rejected, r.Signal, r.Message))
		}
	}
}

// SendTelemetry sends the unsent telemetry of the tasks, or all of it with again; of every task if
// none is named. A failure for one task does not stop the others. Errors: CodeUsage if telemetry is
// off or the settings cannot be read, CodeNotFound for an unknown task, CodeCannot if a collector
// did not accept something.
func (s *Service) SendTelemetry(ctx context.Context, tasks []belay.TaskID, again bool) ([]TelemetrySent, error) {
	to, untrusted, err := s.telemetrySettings()
	switch {
	case err != nil:
		return nil, &belay.Error{Code: belay.CodeUsage, What: "the telemetry settings cannot be used",
			Try: "see docs/telemetry.md", Err: err}
	case !to.IsOn() && untrusted:
		return nil, belay.Refuse(belay.CodeCannot, "belay trust", "the telemetry settings of this repository are not trusted")
	case !to.IsOn():
		return nil, belay.Refuse(belay.CodeUsage, "set telemetry.endpoint, or BELAY_TELEMETRY=1 and OTEL_EXPORTER_OTLP_ENDPOINT",
			"telemetry is off")
	}
	if len(tasks) == 0 {
		if tasks, err = s.Session.Journal.Tasks(); err != nil {
			return nil, err
		}
	}
	list := []TelemetrySent{}
	var failed error
	for _, task := range tasks {
		sent, err := s.sendTelemetry(ctx, task, to, again)
		list = append(list, sent)
		if err == nil {
			continue
		}
		if belay.CodeOf(err) == belay.CodeNotFound || ctx.Err() != nil {
			return list, err
		}
		failed = errors.Join(failed, fmt.Errorf("%s: %w", task, err))
	}
	if failed != nil {
		failed = &belay.Error{Code: belay.CodeCannot, What: "not everything was sent", Try: "belay telemetry send, when the collector at " +
			collectorHost(to) + " answers", Err: failed}
	}
	return list, failed
}

// collectorHost returns the host of the first collector, without a password.
func collectorHost(to telemetry.Settings) string {
	for _, s := range telemetry.Signals {
		if u, err := url.Parse(to.Endpoints[s]); err == nil && u.Host != "" {
			return u.Host
		}
	}
	return "the endpoint"
}

// Telemetry returns the telemetry of a task as it would be sent now. Errors: CodeNotFound, or a record that cannot be
// read.
func (s *Service) Telemetry(task belay.TaskID, what telemetry.Options) (telemetry.Data, error) {
	log, err := s.Session.Journal.Read(task)
	if err != nil {
		return telemetry.Data{}, err
	}
	return telemetry.Build(telemetry.Source{Log: log, Attachment: s.Session.Journal.Attachment}, what)
}

// Metrics returns the metrics of a task's entries after entry number after, for a process that adds
// them up.
func (s *Service) Metrics(task belay.TaskID, after int) ([]telemetry.Sample, error) {
	log, err := s.Session.Journal.Read(task)
	if err != nil {
		return nil, err
	}
	data, err := telemetry.Build(telemetry.Source{Log: log, Attachment: s.Session.Journal.Attachment, After: after}, telemetry.Options{})
	return telemetry.Samples(data.Metrics), err
}

// ShowTelemetry is Telemetry with the current settings: messages are included only if they would be
// sent.
func (s *Service) ShowTelemetry(task belay.TaskID) (telemetry.Data, error) {
	to, _, err := s.telemetrySettings()
	if err != nil {
		return telemetry.Data{}, err
	}
	if to.Service == "" { // off
		to.Service = "belay"
	}
	return s.Telemetry(task, to.Options)
}

// sendTelemetry sends a task's entries after the last accepted one, one signal at a time, and
// records each accepted signal. After a kill in between they are sent again, with the same IDs.
func (svc *Service) sendTelemetry(ctx context.Context, task belay.TaskID, to telemetry.Settings, again bool) (TelemetrySent, error) {
	sent := TelemetrySent{Task: task, Results: []telemetry.Result{}}
	data, err := svc.Telemetry(task, to.Options)
	if err != nil {
		return sent, err
	}
	place := telemetry.CursorFolder(filepath.Join(svc.Session.Repo.Common, "belay"))
	c := telemetry.LoadCursor(place, task, data.Trace(), to)
	for _, s := range telemetry.Signals {
		after := c.Sent[s]
		if again {
			after = 0
		}
		if to.Endpoints[s] == "" || after >= data.LastSeq {
			continue
		}
		r, serr := telemetry.Send(ctx, to, s, data, after)
		sent.Results = append(sent.Results, r)
		if serr != nil {
			err = errors.Join(err, serr)
			continue
		}
		c.Sent[s] = data.LastSeq
		if serr := c.Save(place, task); serr != nil {
			err = errors.Join(err, fmt.Errorf("remember what was sent: %w", serr))
		}
	}
	return sent, err
}
