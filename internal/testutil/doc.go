// Package testutil holds what tests of several packages share: cases in files with what is due beside them,
// and running a test without the rights of root. Only tests import it.
package testutil
