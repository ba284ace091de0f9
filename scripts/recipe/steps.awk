# The steps of a recipe, one a line: what it makes, how many parts a run of its command may have
# ("one" or "many"), the program and its arguments, between tabs. docs/guides/recipes.md defines a recipe.
#
#   awk -v seed=1 -v out=DIR -v revision=TEXT -f steps.awk RECIPE.toml

function fail(line, what) {
    printf "%s:%d: %s\n", FILENAME, line, what >"/dev/stderr"
    failed = 1
    exit 2
}

# Takes a value of TOML apart: fills `list` and returns how many it holds.
function values(text, list,    count, i) {
    if (text ~ /^-?[0-9][0-9_]*(\.[0-9]+)?$/) gsub(/_/, "", text)
    else if (text ~ /^"[^"\\\t]+"$/) text = substr(text, 2, length(text) - 2)
    else if (text ~ /^\["[^"\\\t]+"(, "[^"\\\t]+")*\]$/) {
        count = split(substr(text, 3, length(text) - 4), list, /", "/)
        return count
    } else if (text != "true" && text != "false")
        fail(FNR, "expected a number, true, false, \"text\" or [\"text\", \"text\"] on one line, found: " text)
    list[1] = text
    return 1
}

/^[ \t]*(#.*)?$/ { next }

# A list may go over several lines.
/^[a-z-]+ = \[$/ { listed = $0; next }
listed != "" {
    sub(/^[ \t]+/, "")
    if ($0 != "]") { listed = listed (listed ~ /\[$/ ? "" : " ") $0; next }
    $0 = listed
    sub(/,?$/, "]")
    listed = ""
}

/^\[[a-z]+\]$/ || /^\["[^"\\\t]+"\]$/ {
    table = $0
    gsub(/[]["]/, "", table)
    if (table in line) fail(FNR, "the table " table " stands in line " line[table] ", too")
    line[table] = FNR
    if ($0 ~ /"/) steps[++step_count] = table
    next
}

/^[a-z-]+ = ./ {
    if (table == "") fail(FNR, "expected a table before the first key, such as [\"games.games\"]")
    if ((table, $1) in size) fail(FNR, "the key " $1 " stands twice in " table)
    keys[table, ++key_count[table]] = $1
    size[table, $1] = values(substr($0, length($1) + 4), list)
    for (i = 1; i <= size[table, $1]; i++) value[table, $1, i] = list[i]
    next
}

{ fail(FNR, "expected [command], [\"file\"], or key = value, found: " $0) }

# Appends an argument to the step.
function add(text) { step = step "\t" text }

# Appends a value: files that earlier steps made are in the folder, all parts where `*` names them.
function add_value(flag, text, table,    name, i) {
    if (text == "{revision}") text = revision
    name = text
    if (!(name in line)) sub(/\.json$/, "", name)
    if (!(name in line)) {
        if (flag != "") add(flag)
        add(text)
        return
    }
    if (line[name] >= line[table]) fail(line[table], table " needs " name ", which a later step makes")
    for (i = 0; i < parts(name); i++) {
        if (flag != "") add(flag)
        add(out "/" part_of(text, i))
    }
}

# A number, since awk would compare "9" and "14" as texts.
function parts(table) { return (table, "repeat") in size ? value[table, "repeat", 1] + 0 : 1 }

function part_of(table, part) { sub(/\*/, part, table); return table }

# Appends the flags of a table, but for those that another table gives.
function add_flags(table, but, step_table, part,    i, j, key) {
    for (i = 1; i <= key_count[table]; i++) {
        key = keys[table, i]
        if (key == "command" || key == "inputs" || key == "repeat" || (but, key) in size) continue
        if (value[table, key, 1] == "false") continue
        if (key == "seed") {
            add("--seed")
            add(seed + value[table, key, 1] + part)
        } else if (value[table, key, 1] == "true")
            add("--" key)
        else
            for (j = 1; j <= size[table, key]; j++) add_value("--" key, value[table, key, j], step_table)
    }
}

END {
    if (failed) exit 2
    if (listed != "") fail(FNR, "expected ] after " listed)
    if (step_count == 0) fail(FNR, "expected a step, such as [\"games.games\"]")
    for (s = 1; s <= step_count; s++) {
        name = steps[s]
        if (!((name, "command") in size)) fail(line[name], name " has no command")
        if ((name ~ /\*/) != ((name, "repeat") in size)) fail(line[name], name ": `*` and repeat go together")
        word_count = split(value[name, "command", 1], words, " ")
        for (part = 0; part < parts(name); part++) {
            step = part_of(name, part)
            add(words[1] ~ /^(selfplay|openings|relabel|match|fit)$/ ? "many" : "one")
            add(words[1] ~ /^(selfplay|openings)$/ ? "othello-engine" : "othello-trainer")
            for (i = 1; i <= word_count; i++) add(words[i])
            for (i = 1; i <= size[name, "inputs"]; i++) add_value("", value[name, "inputs", i], name)
            add_flags(words[1], name, name, part)
            add_flags(name, "", name, part)
            print step
        }
    }
}
