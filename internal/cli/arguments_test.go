package cli

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/belay"
)

// TestStrict: the error for a wrong command line names the fault, and the suggestion can be typed.
func TestStrict(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args      []string
		what, try string
	}{
		{[]string{"rollback"}, "belay rollback needs more arguments: TASK [-- PATH…]", "belay rollback TASK [-- PATH…]"},
		{[]string{"task", "pair", "a"}, "belay task pair needs more arguments: A B", "belay task pair A B"},
		{[]string{"task", "pair", "a", "b", "c"}, "belay task pair takes fewer arguments: a b c", "belay task pair A B"},
		{[]string{"doctor", "x"}, "belay doctor takes no arguments: x", "belay doctor --help"},
		{[]string{"odd", "x"}, "never", "belay odd --help"},
		{[]string{"rolback"}, `belay knows no command "rolback"`, "belay rollback"},
		{[]string{"hep"}, `belay knows no command "hep"`, "belay help"},
		{[]string{"import"}, `belay knows no command "import"`, "belay task import"},
		{[]string{"list"}, `belay knows no command "list"`, "belay snapshot list, or belay task list"},
		{[]string{"task", "lst"}, `belay task knows no command "lst"`, "belay task list"},
		{[]string{"task", "doctor"}, `belay task knows no command "doctor"`, "belay doctor"},
		{[]string{"nonsense"}, `belay knows no command "nonsense"`, "belay --help"},
	} {
		run := func(*cobra.Command, []string) error { return nil }
		root := &cobra.Command{Use: "belay", SilenceErrors: true, SilenceUsage: true}
		task, snapshot := &cobra.Command{Use: "task"}, &cobra.Command{Use: "snapshot"}
		task.AddCommand(&cobra.Command{Use: "pair A B", Args: cobra.ExactArgs(2), RunE: run},
			&cobra.Command{Use: "import PATH…", RunE: run}, &cobra.Command{Use: "list", RunE: run})
		snapshot.AddCommand(&cobra.Command{Use: "list", RunE: run})
		never := func(*cobra.Command, []string) error { return belay.Refuse(belay.CodeUsage, "", "never") }
		root.AddCommand(task, snapshot, &cobra.Command{Use: "rollback TASK [-- PATH…]", Args: cobra.MinimumNArgs(1), RunE: run},
			&cobra.Command{Use: "doctor", Args: cobra.NoArgs, RunE: run}, &cobra.Command{Use: "odd X", Args: never, RunE: run})
		CheckArguments(root)
		root.SetArgs(tt.args)
		err := root.Execute()
		e, ok := err.(*belay.Error)
		if !ok || e.Code != belay.CodeUsage || e.What != tt.what || e.Try != tt.try {
			t.Errorf("%q: %+v", tt.args, err)
		}
	}
}
