// Package web serves belay's pages to the browser of the person who started it: tasks and their
// gates, attempts with their checks and output, diffs, snapshots, figures. It shows the results of
// package app, and runs belay commands for what a person decides; it decides nothing.
//
// The server is for one person on one machine. It listens on the loopback interface, is opened by a
// link that works once, and answers only requests with the cookie that the link set. It rejects
// other users of the machine, pages of other sites, and DNS names that point to it.
package web
