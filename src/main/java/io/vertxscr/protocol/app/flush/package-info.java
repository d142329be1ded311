/** Questions of applications about flushes. */
package io.vertxscr.protocol.app.flush;
