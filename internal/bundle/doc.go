// Command bundle builds the page's script and style: web/src/main.ts and what
// it imports become static/app.js, web/css/app.css and what it imports become
// static/app.css, minified, the same bytes for the same source. It uses esbuild's Go API and
// reads nothing but the sources: no npm package, no network.
//
// Use: go run ./internal/bundle [-check], in the module's root. It prints each
// file's size. With -check nothing is written, and a difference from the
// committed files, or a bundle over its budget, is an error.
package main
