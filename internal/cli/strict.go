package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
)

// Strict makes wrong arguments a usage error with the way to help.
func Strict(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return &belay.Error{Code: belay.CodeUsage, What: err.Error(), Try: c.CommandPath() + " --help"}
			}
			return nil
		}
	}
	if len(c.Commands()) > 0 && c.Args == nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return belay.Refuse(belay.CodeUsage, c.CommandPath()+" "+nearest(args[0], names(c), "--help"),
				"%s knows no command %q", c.CommandPath(), args[0])
		}
		if c.RunE == nil {
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
	for _, sub := range c.Commands() {
		Strict(sub)
	}
}

// FlagError makes a wrong flag a usage error, with the flag that was most likely meant.
func FlagError(c *cobra.Command, err error) error {
	try := "--help"
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1 {
		var flags []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				flags = append(flags, f.Name)
			}
		})
		if name := nearest(unknown.GetSpecifiedName(), flags, ""); name != "" {
			try = "--" + name
		}
	}
	return &belay.Error{Code: belay.CodeUsage, What: err.Error(), Try: c.CommandPath() + " " + try}
}

func names(c *cobra.Command) []string {
	var all []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			all = append(all, sub.Name())
		}
	}
	return all
}

// nearest gives the candidate that somebody who wrote name meant: the one that differs in
// the fewest letters, else one that ends in it (--attempts: --max-attempts), else otherwise.
func nearest(name string, candidates []string, otherwise string) string {
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
