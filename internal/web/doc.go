// Package web serves belay's pages to the browser of the person who started it: tasks and what they wait for, attempts
// with their checks and outputs, differences, snapshots, figures. It shows what package app tells and has what a person
// decides done by the commands of the terminal; it decides nothing.
//
// The server is for one person on one machine. It listens on the loopback interface, is opened by a link that works
// once, and answers nobody who does not bring the cookie that the link gave: other users of the machine, pages of other
// sites, and names that were made to lead here are refused.
package web
