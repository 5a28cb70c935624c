// Package testutil is shared by the tests of several packages: cases in files beside their results; tests without root's
// rights; repositories in every state, with the damage that agents do; and reading a whole state for comparison, without
// the code under test. Only tests import it.
package testutil
