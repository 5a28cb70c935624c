// Package mcp serves belay to agents and editors over the Model Context Protocol: tools and resources, each one
// request to package app. What needs a person is asked of the person through the client; an agent cannot answer it.
package mcp
