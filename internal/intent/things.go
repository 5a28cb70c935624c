package intent

import "github.com/belay-dev/belay/internal/lazyregexp"

// IsProduct reports a noun for something complete that is built at once.
var IsProduct = lazyregexp.Of(`project app application site website bot service cli tool library package extension plugin game
	api server gateway dashboard prototype pipeline module modules chart firmware script program crate skeleton boilerplate
	template starter blog shop platform portal job terraform microservice daemon webapp webservice web-service
	microsite web-app editor client engine
	generator scraper crawler parser compiler backend frontend website homepage addon add-on controller repo system
	calculator tracker timer simulator emulator framework sdk operator app's cms
	relay proxy converter viewer wrapper assistant quiz clone toolkit wiki forum store marketplace catalogue portfolio
	one-pager onepager infrastructure monorepo workspace bookmarklet planner organizer organiser
	webseite website anwendung programm werkzeug onlineshop web aplicación sitio tienda página herramienta application
	outil boutique aplicativo aplicação loja ferramenta applicazione sito negozio strumento programma webwinkel applicatie`).Has

// IsPart reports a noun for something that is always a part of something existing.
var IsPart = lazyregexp.Of(`test tests endpoint endpoints button column columns field fields flag option route table
	index migration hook component class function method link dialog modal tab menu section row filter header footer
	badge icon label tooltip paragraph chapter line setting settings check rule query view trigger handler middleware
	helper constant variable parameter argument`).Has

// IsCommitType reports a type of Conventional Commits.
var IsCommitType = lazyregexp.Of("feat fix chore refactor docs perf style test build ci").Has

// IsTool reports the name of a technology. A sentence of nothing else asks for nothing.
var IsTool = lazyregexp.Of(`python go golang rust typescript javascript js ts java kotlin swift ruby php perl c c++ c#
	elixir haskell scala dart lua zig
	react vue svelte angular next.js nextjs nuxt vite webpack django flask fastapi rails laravel spring express node node.js deno bun
	postgres postgresql mysql sqlite mongodb redis kafka rabbitmq docker kubernetes k8s helm terraform aws gcp azure s3
	cloudfront acm route53
	lambda vercel netlify tailwind bootstrap vanilla html css scss graphql rest grpc jquery flutter compose swiftui
	android ios electron tauri
	esp32 arduino platformio cmake gradle maven bash zsh fish powershell npm yarn pnpm pip poetry cargo make bazel nix ansible`).Has
