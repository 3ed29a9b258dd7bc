// Package control gives the presenter's commands to controllers that take them.
//
// A controller opens a websocket (Desk.Attach) with the control token and says
// its name; tracer/control is its side, and tracer/control/wire what the two say
// to each other. A command (Desk.Do) is checked, sent to every process of that
// controller, and answered when one of them has put it into force.
//
// # What holds
//
//   - Every command is a row, made durable by Config.Record, that says when it
//     began and, once it has, when and why it ended. A row that has ended does
//     not change again.
//   - A controller whose connection goes has let go of everything by itself;
//     the rows of what stood there end with it.
//   - A controller that does not answer holds nobody up for longer than
//     AckWithin.
package control
