package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
	"github.com/belay-dev/belay/internal/fsroot"
)

// countedList is one list in the output. Count is null if it is unknown.
type countedList struct {
	Name    string       `json:"name"`
	Kind    string       `json:"kind"`
	File    string       `json:"file"`
	Line    int          `json:"line"`
	Col     int          `json:"col"`
	Depth   int          `json:"depth"`
	Count   *int         `json:"count"`
	Unknown []string     `json:"unknown"`
	Items   []count.Item `json:"items"`
}

func (a countFamily) countCommand() *cobra.Command {
	var name string
	c := &cobra.Command{
		Use: "count FILE|SNAPSHOT:FILE", Short: "Show the lists in a file and how many items each has", Args: cobra.ExactArgs(1),
		Long: `Count shows the lists of a source file: arrays and objects, elements, table rows, members
of enums, cases, functions, rules, bullets. Each is shown with its name, line and number of
items. Spreads, concatenation and references are followed; where the source does not show
what they add, the count is unknown.

SNAPSHOT:FILE counts in a snapshot; FILE needs no repository. docs/counting.md lists the
languages and the limits.

Exit codes: 0 counted · 2 cannot be read or counted · 6 no such file, snapshot or list.`,
		Example: `  belay count src/FlavorGrid.tsx
  belay count 20261121-083114-1:src/FlavorGrid.tsx --list FLAVORS`,
		RunE: func(c *cobra.Command, args []string) error {
			lists, err := a.readLists(c.Context(), args[0])
			if err != nil {
				return err
			}
			if lists, err = selectLists(lists, name, args[0]); err != nil {
				return err
			}
			return a.PrintResult(lists, nil, func(w io.Writer) { printLists(w, lists, name != "") })
		},
	}
	c.Flags().StringVar(&name, "list", "", "only the list with this `NAME`, and its items")
	return c
}

func (a countFamily) readLists(ctx context.Context, arg string) ([]countedList, error) {
	shownPath := arg
	tree, file, err := diskTree(fsroot.From(a.Dir, arg), arg)
	if id, name, ok := strings.Cut(arg, ":"); ok && belay.CodeOf(err) == belay.CodeNotFound {
		shownPath = name
		tree, file, err = a.snapshotTree(ctx, id, name)
	}
	if err != nil {
		return nil, err
	}
	counted, err := count.CountLists(tree, file)
	if err != nil {
		return nil, err
	}
	out := make([]countedList, 0, len(counted))
	for _, c := range counted {
		one := countedList{
			Name: c.List.FullName(), Kind: string(c.List.Kind), File: shownPath, Line: c.List.Line, Col: c.List.Col, Depth: c.List.Depth,
			Unknown: append([]string{}, c.Count.Unknown...), Items: append([]count.Item{}, c.Items...),
		}
		if c.Count.IsKnown() {
			one.Count = &c.Count.N
		}
		out = append(out, one)
	}
	return out, nil
}

// diskTree returns the folder of a file as a tree, so that imports from there can be followed.
// O_NONBLOCK, because opening a FIFO would wait for a writer.
func diskTree(path, arg string) (count.Tree, string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, "", belay.Refuse(belay.CodeNotFound, "name a file, or SNAPSHOT:FILE", "there is no file %s", arg)
	}
	if err != nil {
		return nil, "", &belay.Error{Code: belay.CodeCannot, What: "cannot read " + arg, Try: "check its path and permissions", Err: err}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, "", belay.Refuse(belay.CodeCannot, "name a file in it", "%s is not a file", arg)
	}
	return count.Folder(os.DirFS(filepath.Dir(path))), filepath.Base(path), nil
}

// snapshotTree returns one file of a snapshot as a tree.
func (a countFamily) snapshotTree(ctx context.Context, id, name string) (count.Tree, string, error) {
	svc, err := a.Open(ctx)
	if err != nil {
		return nil, "", err
	}
	snap, err := svc.Session.ResolveSnapshot(ctx, belay.SnapshotID(id))
	if err != nil {
		return nil, "", err
	}
	text, _, err := svc.Session.Snaps.ReadFile(ctx, snap, filepath.ToSlash(filepath.Clean(name)))
	if err != nil {
		return nil, "", err
	}
	return count.SingleFile(name, text), name, nil
}

func selectLists(lists []countedList, name, file string) ([]countedList, error) {
	if name == "" {
		return lists, nil
	}
	var out []countedList
	for _, l := range lists {
		if l.Name == name || strings.HasSuffix(l.Name, "."+name) {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		return nil, belay.Refuse(belay.CodeNotFound, "belay count "+file, "%s has no list %q", file, name)
	}
	return out, nil
}

func printLists(w io.Writer, lists []countedList, items bool) {
	for _, l := range lists {
		fmt.Fprintf(w, "%7s  %-12s %s:%d  %s\n", countText(l.Count), l.Kind, belay.VisibleLine(l.File), l.Line, belay.VisibleLine(l.Name))
		for _, u := range l.Unknown {
			fmt.Fprintf(w, "           unknown: %s\n", belay.VisibleLine(u))
		}
		if !items {
			continue
		}
		for _, it := range l.Items {
			fmt.Fprintf(w, "           %4d  %s\n", it.Line, belay.VisibleLine(it.Label))
		}
	}
	if len(lists) == 0 {
		fmt.Fprintln(w, "no lists")
	}
}
