// Package watch is an opt-in helper process for one working tree: it learns of every
// change from the kernel and keeps in memory what the tree comes to, so that a take
// looks at the changed paths only. Whenever it is not sure it says so, and the take
// looks at everything: a wrong snapshot is never the price of speed.
//
// It never writes in the working tree, runs nothing but inert git plumbing, answers
// only its own user, and knows nothing of refs, tasks or what a snapshot is for.
package watch
