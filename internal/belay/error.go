package belay

import (
	"errors"
	"fmt"
)

// Code is the kind of an Error. The command line maps each code to an exit status
// (docs/exit-codes.md), other interfaces to theirs.
type Code string

// Codes, each with its exit status.
const (
	CodeRefused     Code = "refused"     // 1: a check or a review rejected the work
	CodeCannot      Code = "cannot"      // 2: the environment does not allow it
	CodeUsage       Code = "usage"       // 2: the request itself is wrong
	CodeWaiting     Code = "waiting"     // 3: a person has to decide at a gate
	CodeDrift       Code = "drift"       // 4: the tree is not the one that was checked
	CodeBusy        Code = "busy"        // 5: another process has the lock
	CodeNotFound    Code = "not_found"   // 6: no such task, snapshot or file
	CodeInterrupted Code = "interrupted" // 130: a person stopped it
)

// Error is an error that a person can act on: what happened and what to try. Both are lower case,
// without a final period. Err is the cause, may be nil, and is printed after What.
type Error struct {
	Code Code
	What string
	Try  string
	Err  error
}

// Error returns the message on one line, with the cause after a colon.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.What
	}
	return e.What + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Refuse makes an Error. The format and its arguments make What.
func Refuse(code Code, try, format string, args ...any) *Error {
	return &Error{Code: code, What: fmt.Sprintf(format, args...), Try: try}
}

// CodeOf returns the code of the first Error in err's chain, CodeCannot for any
// other error, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeCannot
}
