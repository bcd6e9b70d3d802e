# Sums the test reports and holds them against .ci/expected-tests (the first file); the report files follow.
#   -v maven=STATUS     how Maven ended
#   -v only=A,B         the only modules whose expectations count; empty: all
#   -v providers="A B"  modules that must have an expectation
# Prints a sentence for each thing that is wrong, then "N passed, N failed, N skipped"; exits with 1 if any was.

BEGIN {
  split(only, names, ",")
  for (i in names) selected[names[i]] = 1
}

function wrong(sentence) {
  print "RED: " sentence
  red = 1
}

function attribute(name,    value) {
  if (!match($0, " " name "=\"[^\"]*\"")) return ""
  value = substr($0, RSTART + 1, RLENGTH - 2)
  return substr(value, index(value, "\"") + 1)
}

FILENAME == ARGV[1] {
  sub(/#.*/, "")
  if (NF == 0) next
  if (NF != 3 || $3 !~ /^[1-9][0-9]*$/) {
    wrong(FILENAME ": line " FNR " is not \"module class minimum\"")
    next
  }
  expected[$1] = 1
  if (only != "" && !($1 in selected)) next
  lines++
  module[lines] = $1; class[lines] = $2; minimum[lines] = $3
  next
}

# A report's header: one <testsuite> a file.
/<testsuite / && !(FILENAME in header) {
  header[FILENAME] = 1
  split(FILENAME, path, "/")
  where = path[2]
  ran = attribute("tests") - attribute("skipped")
  bad = attribute("failures") + attribute("errors")
  failed[where] += bad
  all_failed += bad; all_passed += ran - bad; all_skipped += attribute("skipped")
  name = attribute("name")
  for (i = 1; i <= lines; i++) if (module[i] == where && belongs(name, class[i])) { reports[i]++; count[i] += ran }
}

/<testcase / { test = attribute("classname") "." attribute("name") }
/<(failure|error)[ >]/ { if (first[where] == "") first[where] = test }

# Is the class the expected one, with or without its package, or nested in it?
function belongs(name, wanted) {
  if (wanted == "*") return 1
  sub(/[$].*/, "", name)
  return name == wanted || (length(name) > length(wanted) && substr(name, length(name) - length(wanted)) == "." wanted)
}

END {
  for (i = 2; i < ARGC; i++) if (!(ARGV[i] in header)) wrong(ARGV[i] " is not a complete report")
  for (where in failed) if (failed[where]) wrong(where ": " failed[where] " failed, the first is " first[where])
  for (i = 1; i <= lines; i++) {
    of = class[i] == "*" ? "" : " of " class[i]
    if (!reports[i]) wrong(module[i] ": no test" of " ran (no report), expected at least " minimum[i])
    else if (count[i] < minimum[i]) wrong(module[i] ": only " count[i] + 0 " tests" of " ran, expected at least " minimum[i])
  }
  split(providers, names, " ")
  for (i in names) if (!(names[i] in expected)) wrong(names[i] ": no line in " ARGV[1])
  if (maven) wrong("Maven ended with status " maven ", see above")
  printf "%d passed, %d failed, %d skipped\n", all_passed, all_failed, all_skipped
  exit red
}
