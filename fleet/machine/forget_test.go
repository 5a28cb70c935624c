package machine

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/common/v1"
	enums "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
)

// list returns its workflows, one on each page.
type list struct {
	server
	all   []*workflowpb.WorkflowExecutionInfo
	asked string
	fails bool
}

func (l *list) ListWorkflow(_ context.Context, q *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	l.asked = q.Query
	if l.fails {
		return nil, errors.New("down")
	}
	n := len(q.NextPageToken)
	if n >= len(l.all) {
		return &workflowservice.ListWorkflowExecutionsResponse{}, nil
	}
	return &workflowservice.ListWorkflowExecutionsResponse{Executions: l.all[n : n+1], NextPageToken: make([]byte, n+1)}, nil
}

func execution(kind, id, feature string, status enums.WorkflowExecutionStatus, closed time.Time) *workflowpb.WorkflowExecutionInfo {
	fields := map[string]*common.Payload{}
	for name, v := range map[string]string{task.AttrTask: id, task.AttrFeature: feature} {
		fields[name], _ = converter.GetDefaultDataConverter().ToPayload(v)
	}
	return &workflowpb.WorkflowExecutionInfo{Type: &common.WorkflowType{Name: kind}, Status: status, CloseTime: timestamppb.New(closed),
		SearchAttributes: &common.SearchAttributes{IndexedFields: fields}}
}

// TestKnown: a running task has no end, the last of several runs counts, and the tasks of an open
// feature may still be needed.
func TestKnown(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	const (
		runs = enums.WORKFLOW_EXECUTION_STATUS_RUNNING
		done = enums.WORKFLOW_EXECUTION_STATUS_COMPLETED
		next = enums.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW
	)
	l := &list{all: []*workflowpb.WorkflowExecutionInfo{
		execution(task.WorkflowName, "open", "", runs, time.Time{}), execution(task.WorkflowName, "open", "", next, at),
		execution(task.WorkflowName, "long", "", next, at), execution(task.WorkflowName, "long", "", runs, time.Time{}),
		execution(task.WorkflowName, "ended", "", done, at.Add(time.Hour)), execution(task.WorkflowName, "ended", "", next, at),
		execution(task.WorkflowName, "lost", "", enums.WORKFLOW_EXECUTION_STATUS_TERMINATED, at),
		execution(task.WorkflowName, "f.t1", "f", done, at), execution(task.FeatureName, "", "f", runs, time.Time{}),
		execution(task.FeatureName, "", "f", next, at), execution(task.WorkflowName, "g.t1", "g", done, at),
		execution(task.FeatureName, "", "g", done, at),
	}}
	got, err := OpenOrEndedTasks(context.Background(), l, "/srv/app.git")
	want := map[belay.TaskID]time.Time{"open": {}, "long": {}, "ended": at.Add(time.Hour), "lost": at, "f.t1": {}, "g.t1": at}
	if err != nil || !maps.EqualFunc(got, want, time.Time.Equal) || !strings.Contains(l.asked, task.RepositoryKey("/srv/app.git")) {
		t.Errorf("%v, %v, %s", got, err, l.asked)
	}
}

// TestForget: a worker asks the server before it deletes anything, and deletes only on trusted
// remotes.
func TestForget(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bare := filepath.Join(dir, "app.git")
	if out, err := exec.Command("git", "init", "-q", "--bare", bare).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ref := filepath.Join(bare, "refs", "belay", "forgotten", "2001-01-01")
	cmd := exec.Command("git", "-C", bare, "-c", "user.name=A", "-c", "user.email=a@b", "commit-tree", "-m", "x", "4b825dc642cb6eb9a060e54bf8d69288fbee4904")
	tree := exec.Command("git", "-C", bare, "hash-object", "-t", "tree", "-w", "/dev/null")
	if out, err := tree.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	commit, err := cmd.Output()
	if err = errors.Join(err, os.MkdirAll(ref, 0o755), os.WriteFile(filepath.Join(ref, "t1"), commit, 0o644)); err != nil {
		t.Fatal(err)
	}
	l := &list{fails: true}
	forget := func(trusted string) (out task.ForgetResult, err error) {
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestActivityEnvironment()
		m := New(Machine{Name: "w", Home: dir, Trusted: []string{trusted}, Server: l}, 1)
		env.RegisterActivity(m.Forget)
		v, err := env.ExecuteActivity(m.Forget, task.ForgetAsk{Remote: bare})
		if err == nil {
			err = v.Get(&out)
		}
		return out, err
	}
	there := func() bool { _, err := os.Stat(filepath.Join(ref, "t1")); return err == nil }
	if _, err := forget(dir + "/"); err == nil || !there() {
		t.Errorf("without the server: %v, the ref is there: %v", err, there())
	}
	l.fails = false
	var refused *temporal.ApplicationError
	if _, err := forget("/srv/"); !errors.As(err, &refused) || refused.Type() != task.ErrRefused || !there() {
		t.Errorf("not trusted: %v, the ref is there: %v", err, there())
	}
	if out, err := forget(dir + "/"); err != nil || out.Records != 1 || len(out.Tasks) != 1 || there() {
		t.Errorf("%+v, %v, the ref is there: %v", out, err, there())
	}
}
