// Command bundle builds the page's scripts and style, each with what it
// imports: web/src/main.ts becomes static/app.js, web/src/classroom.ts
// static/classroom.js, which app.js loads when there is a class,
// web/src/picture.ts static/picture.js, which it loads when a picture is saved,
// web/src/panels.ts static/panels.js, for the views that the panel does not show
// at first,
// and web/css/app.css static/app.css. They are minified, the same bytes for the same
// source. It uses esbuild's Go API and reads nothing but the sources: no npm
// package, no network.
//
// Use: go run ./internal/bundle [-check], in the module's root. It prints each
// file's size. With -check nothing is written, and a difference from the
// committed files, or a bundle over its budget, is an error.
package main
