package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
)

// CheckArguments turns wrong arguments into a usage error with a suggestion.
func CheckArguments(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return argumentCountError(c, check, args, err)
			}
			return nil
		}
	}
	if len(c.Commands()) > 0 && c.Args == nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return belay.Refuse(belay.CodeUsage, likelyCommand(c, args[0]), "%s knows no command %q", c.CommandPath(), args[0])
		}
		if c.RunE == nil {
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
	for _, sub := range c.Commands() {
		CheckArguments(sub)
	}
}

// maxArguments is the largest number of arguments that a command may require.
const maxArguments = 4

// argumentCountError returns an error about too few or too many arguments, with the command's
// usage.
func argumentCountError(c *cobra.Command, check cobra.PositionalArgs, args []string, err error) error {
	what, try := err.Error(), c.CommandPath()+" --help"
	usage := strings.TrimSpace(strings.TrimPrefix(c.Use, c.Name()))
	fits := func(n int) bool { return check(c, slices.Repeat([]string{"x"}, n)) == nil }
	least := 0
	for least <= maxArguments && !fits(least) {
		least++
	}
	switch {
	case least > maxArguments || usage == "": // the number is not the problem
		if least == 0 {
			what = fmt.Sprintf("%s takes no arguments: %s", c.CommandPath(), strings.Join(args, " "))
		}
	case len(args) < least:
		what, try = fmt.Sprintf("%s needs more arguments: %s", c.CommandPath(), usage), c.CommandPath()+" "+usage
	case !fits(len(args)):
		what, try = fmt.Sprintf("%s takes fewer arguments: %s", c.CommandPath(), strings.Join(args, " ")), c.CommandPath()+" "+usage
	}
	return &belay.Error{Code: belay.CodeUsage, What: what, Try: try}
}

// likelyCommand returns the command that was probably meant by name below c: one with a similar
// name, or one with that name elsewhere (import: task import; task show: show).
func likelyCommand(c *cobra.Command, name string) string {
	known := flagNames(c)
	if !c.HasParent() {
		known = append(known, "help")
	}
	if near := nearestName(name, known, ""); near != "" {
		return c.CommandPath() + " " + near
	}
	var found []string
	for _, sub := range c.Root().Commands() {
		if sub.IsAvailableCommand() && sub.Name() == name {
			return sub.CommandPath()
		}
		for _, deep := range sub.Commands() {
			if sub.IsAvailableCommand() && deep.IsAvailableCommand() && deep.Name() == name {
				found = append(found, deep.CommandPath())
			}
		}
	}
	if len(found) > 0 {
		return strings.Join(found, ", or ")
	}
	return c.CommandPath() + " --help"
}

// FlagError turns a wrong flag into a usage error with the most similar flag.
func FlagError(c *cobra.Command, err error) error {
	try := "--help"
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1 {
		var flags []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				flags = append(flags, f.Name)
			}
		})
		if name := nearestName(unknown.GetSpecifiedName(), flags, ""); name != "" {
			try = "--" + name
		}
	}
	return &belay.Error{Code: belay.CodeUsage, What: err.Error(), Try: c.CommandPath() + " " + try}
}

func flagNames(c *cobra.Command) []string {
	var all []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			all = append(all, sub.Name())
		}
	}
	return all
}

// nearestName returns the candidate that was probably meant by name: the one that differs in the
// fewest letters, else one that ends in it (--attempts: --max-attempts), else otherwise.
func nearestName(name string, candidates []string, otherwise string) string {
	best, least := otherwise, max(2, len(name)/3)+1
	for _, c := range candidates {
		if d := config.Distance(strings.ToLower(name), c); d < least && d < len(c) {
			best, least = c, d
		}
	}
	if best != otherwise {
		return best
	}
	for _, c := range candidates {
		if strings.HasSuffix(c, "-"+strings.ToLower(name)) {
			return c
		}
	}
	return otherwise
}
