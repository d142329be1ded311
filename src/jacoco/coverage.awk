# Prints the coverage of jacoco.csv in one line. Its columns are found by their names.
BEGIN { FS = "," }
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
{
  lines += $column["LINE_COVERED"]; line_total += $column["LINE_COVERED"] + $column["LINE_MISSED"]
  branches += $column["BRANCH_COVERED"]; branch_total += $column["BRANCH_COVERED"] + $column["BRANCH_MISSED"]
}
END {
  printf "coverage of the unit and system tests: %.1f %% of %d lines, %.1f %% of %d branches\n",
    100 * lines / line_total, line_total, 100 * branches / branch_total, branch_total
}
