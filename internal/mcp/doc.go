// Package mcp serves belay to agents and editors over the Model Context Protocol, with tools and
// resources. Each is one request to package app. What requires a person's answer is asked through
// the client; an agent cannot answer it.
package mcp
