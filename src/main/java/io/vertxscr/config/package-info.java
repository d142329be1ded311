/** Parameters, configuration files, and the typed settings that the rest of the program sees. Plain code, no Vert.x. */
package io.vertxscr.config;
