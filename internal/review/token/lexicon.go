package token

import (
	"strings"
	"sync"
)

// Class is what a word or phrase does in a sentence of a review.
type Class uint32

const (
	Ask    Class = 1 << iota // asks for something: imperatives, please
	Need                     // should, must, missing: something has to happen
	Not                      // negation
	Touch                    // changing verbs: with not, "leave it as it is"
	Keep                     // leave, stays, no action
	Good                     // praise
	Done                     // resolved, withdrawn, noise
	Later                    // other change, other ticket
	Ref                      // before a name: it is compared with, called from, copied from
	Shows                    // after a name: it shows how, it is what calls
	Bad                      // names a defect
	Query                    // starts a question
	Polite                   // a question that asks for a change
	But                      // turns
	Create                   // the name need not be tracked
	Moved                    // renames and moves
	Undo                     // takes back
	Seen                     // a list of what was looked at
	Copula                   // is, looks
	Except                   // takes out of a set
	Every                    // a set
	Where                    // words for lines
	Recall                   // withdraws an earlier remark
	Gone                     // takes out: with "from" the name is the target
	Fixup                    // asks to mend what pasted output shows
)

var words = map[Class]string{
	Ask: `à retirer|à supprimer|à corriger|à revoir|à renommer|à déplacer|à mettre|à changer|à remplacer|à ajouter|à faire|à modifier|à enlever|por corregir|por arreglar|take it out|take this out|take that out|take them out|throw it out|throw it away|rip it out|pull it out|i'd rather|i would rather|put it back|put them back|put that back|put this back|bring it back|bring them back|bring that back|please|pls|plz|kindly|let's|fix|change|remove|delete|drop|revert|restore|rename|move|replace|update|handle|split|extract|
guard|close|bump|pin|bring back|put back|take out|get rid of|make it|make sure|ensure|rewrite|refactor|reduce|switch|swap|undo|clean up|initialise|initialize|escape|sanitize|sanitise|validate|
rethrow|regenerate|reorder|convert|simplify|inline|hoist|quote|mend|correct it|call it|call this|name it|nenn es|nenne es|llámalo|appelle-le|chame de|tighten|i'd like|i'd also like|i would also like|we'd also like|i would like|we'd like|i want|i need|add|create|commit|document|annotate|
bitte|behebe|beheben|korrigieren|korrigiere|ändern|ändere|entfernen|entferne|löschen|lösche|umbenennen|ergänzen|ergänze|hinzufügen|anpassen|ersetzen|verschieben|zurücknehmen|wiederherstellen|
por favor|corrige|corregir|cambia|cambiar|elimina|eliminar|quita|quitar|borra|borrar|renombra|renombrar|añade|añadir|agrega|agregar|mueve|mover|revierte|revertir|restaura|restaurar|
s'il te plaît|s'il vous plaît|stp|svp|merci de|corriger|corrigez|changer|changez|supprimer|supprimez|renommer|renommez|ajouter|ajoutez|déplacer|remplacer|remplacez|rétablir|annuler|
corrija|corrigir|altere|alterar|remova|remover|apague|apagar|renomeie|renomear|adicione|adicionar|reverta|reverter|troque|trocar|gentileza|
per favore|correggi|correggere|rimuovi|aggiungi|graag|verwijder|исправьте|исправить|удалите|добавьте|пожалуйста`,
	Need: `only care about|need|should|shouldn't|must|mustn't|has to|have to|had to|needs|need to|needs to|need a|need an|ought to|wants|require|requires|missing|lacks|lack|is absent|are absent|is needed|are needed|would be better|could use|could do with|could carry|can be|can go|is due|better to|nicer|would prefer|prefer|nice to have|nice-to-have|
supposed to|shall|what i need|would be nice|would be good|would be great|to be fixed|be fixed|be done|be addressed|be removed|be changed|be updated|be handled|be renamed|be reverted|be restored|also needs|
muss|müssen|sollte|sollten|soll|fehlt|fehlen|gehört|debe|deben|debería|deberían|hay que|falta|faltan|tiene que|habría que|
doit|doivent|devrait|devraient|il faut|manque|manquent|il manque|faudrait|deve|devem|deveria|deveriam|precisa|precisam|tem que|deve ser|devono|manca|moet|moeten|ontbreekt|нужно|надо|должен|должна|должно`,
	Not: `not|no|never|n't|don't|doesn't|didn't|isn't|aren't|wasn't|won't|can't|cannot|without|nothing|needn't|mustn't|shouldn't|nor|neither|
nicht|nichts|rien|niente|niets|nessun|nessuna|kein|keine|keinen|nie|ohne|nada|nunca|sin|ne|n'est|pas|aucun|aucune|jamais|sans|não|nem|sem|non|niet|geen|не|нет`,
	Touch: `touch|touched|change|changed|changes|modify|modified|edit|edited|move|rename|remove|bother with|bother|worry about|revert|reformat|rewrite|fix|alter|
anfassen|ändern|geändert|verändert|berühren|angefasst|tocar|toques|tocarlo|toquen|cambiar|modificar|modifiques|cambies|touche|touchez|toucher|modifier|modifiez|changer|changez|modifie|mexer|mexa|mexam|alterar|altere|toque|toccare|wijzigen|aanpassen|трогать|менять`,
	Keep: `leave|keep|needs nothing|need nothing|needs no change|needs no changes|nothing here|can stay|may stay|stays|stay as|as is|as-is|as it is|as they are|untouched|unchanged|unaffected|not affected|no change|no changes|no action|nothing to do|nothing to change|no fix|no need|not needed here|alone|off limits|off-limits|accepted risk|no work|nothing needed|hands off|is frozen|are frozen|frozen for now|is generated|are generated|auto-generated|autogenerated|automatically generated|wird generiert|se genera|est généré|é gerado|can be ignored|may be ignored|can be skipped|should stay|must stay|has to stay|out of bounds|someone else's|isn't yours|is not yours|aren't yours|is legacy|is a fixture|only there for|load-bearing|was already like this|was like this|like this before|only moved|merely moved|just moved|is intentional|is deliberate|intentionally|for information only|for your information|fyi|not in this diff|need not|needn't|stay out of|not part of this|exempt|
unverändert|lass es|lasst es|déjalo|déjala|dejarlo|laisse-le|laissez-le|deixe-o|deixa-o|bleibt|bleiben|so lassen|stehen lassen|nichts zu tun|kein handlungsbedarf|se queda|sin cambios|se quedan|deja|dejar|sin tocar|inchangé|inchangée|laisser|laissez|laisse|reste|restent|rien à faire|rien à changer|fica como está|ficam como estão|deixe|deixar|sem mudanças|inalterado|não precisa|não precisam|no hace falta|no hay que|muss nicht|müssen nicht|braucht nicht|pas besoin|pas la peine|inutile de|lasciare|ongewijzigd|accepted by|listed for completeness|for completeness|laat staan`,
	Good: `fine|ok|okay|good|great|nice|nicely|clean|correct|perfect|excellent|lovely|beautiful|elegant|neat|solid|lgtm|sound|harmless|well done|well tested|love|liked|i like|happy with|agree with|i agree|no findings|without findings|nothing found|no complaints|no complaint|no issues|no issue|no problem|no problems|no remarks|no comments|no objection|no objections|no concerns|right|legit|legitimate|impressive|thorough|readable|tidy|as expected|as intended|works|thanks for|thank you for|kudos|well written|checks out|all good|good to go|awesome|fantastic|wonderful|pleasure|improvement|praise|looks right|sensible|reasonable|clever|spot on|innocent|approve|approved|agreed|thanks|valid|good as|does the job|my blessing|my approval|has my approval|passes review|approve of|i approve|all clear|thumbs up|can't happen|cannot happen|can not happen|perfectly|beautifully|cleanly|elegantly|impeccably|flawlessly|by the book|fine with|ok with|okay with|good with|fine by|acceptable|tolerable|good enough|bearable|i can live with|can live with|akzeptabel|aceptable|aceitável|better|much better|way better|improved|well|joy|a joy|delight|a treat|ship it|good stuff|nice work|good work|great work|good job|great job|nice job|good catch|helps|helps a lot|does what it should|does what it says|does exactly|
big fan|a fan of|no remarks|nothing to add|nothing to say|nothing to report|top|top-notch|brilliant|superb|outstanding|exemplary|spotless|flawless|straightforward|pleasant|robust|safe|much clearer|clearer|easier to read|simpler|cleaner|nicer now|out of the way|i trust you|trust you|strengths|positives|pros|highlights|what went well|what i like|the good|good parts|stärken|positives|fortalezas|puntos fuertes|lo bueno|points forts|pontos fortes|pontos positivos|ras|r.a.s|complete|looks complete|compliant|konform|grün|all green|is green|makes sense|make sense|convincing|well thought out|
carry on|moving on|unproblematic|uncontroversial|bulletproof|appreciate|appreciated|enjoyed|👌|✓|🙌|💪|😍|⭐|🚢|👏|🥳|gracefully|correctly|properly|👍|✅|✔|🎉|💯|❤|👏|🚀|🟢|
in ordnung|stimmt so|stimmt es|das stimmt|stimmt alles|stimmt alles|passt|passt so|gut|super|toll|klasse|top|gelungen|habe ich nichts|hab ich nichts|nichts auszusetzen|nichts zu meckern|nichts zu beanstanden|nichts hinzuzufügen|gute arbeit|gut gelöst|besser|viel besser|gut lesbar|lesbar|sauber gelöst|okay so|vorbildlich|hübsch|saubere|freut mich|keine einwände|alles gut|alles in ordnung|
nada que objetar|nada que decir|nada que añadir|nada que comentar|muy completo|muy completa|muy limpio|muy limpia|muy claro|muy clara|buen trabajo|buena|buenos|buenas|genial|estupendo|estupenda|fenomenal|de lujo|excelente|mejor|mucho mejor|limpio|limpia|bonito|me encanta|todo correcto|todo bien|conforme|
me va|me convient|ça me va|pas de souci|pas de soucis|aucun souci|rien à signaler|rien à ajouter|rien à reprocher|beau travail|bon travail|joli|jolie|propre|très propre|lisible|super|bravo|nickel chrome|impeccable|excellente|clair|claire|mieux|bien mieux|j'aime bien|j'adore|tout est bon|bien vu|bien fait|
nada a comentar|nada a dizer|nada a declarar|nada a acrescentar|nada a apontar|ótimo trabalho|bom trabalho|impecável|limpo|limpa|excelente|muito bom|muito boa|ficou bom|ficou boa|ficou ótimo|melhor|bem melhor|legal|bonito|adorei|curti|tudo ok|sem ressalvas|
ottima|ottimo lavoro|perfetto|perfetta|pulito|niente da dire|niente da segnalare|netjes|mooi|keurig|prima zo|helemaal goed|niets op aan te merken|bra|snyggt|świetnie|dobrze|в порядке|отличная|отличный|нормально|замечаний нет|без замечаний|sehr gut|schön|prima|gefällt|gefallen|sauber|korrekt|einwandfrei|bien|muy bien|está bien|están bien|correcto|correcta|perfecto|perfecta|me gusta|sin problemas|impecable|parfait|parfaite|très bien|nickel|c'est bon|est bon|correcte|rien à dire|rien à redire|ça va|bom|boa|está bom|está boa|ótimo|ótima|tudo certo|tudo bem|perfeito|certo|correto|gostei|bene|va bene|ottimo|prima|goed|in orde|хорошо|отлично`,
	Done: `not your job|not your problem|not your fault|exists on main|also on main|is on main too|not findings|not a finding|non-findings|resolved|done|fixed|addressed|ack|acked|acknowledged|withdrawn|dismissed|wontfix|won't fix|wont fix|false positive|false positives|false alarm|noise|skip|ignore|outdated|obsolete|already fixed|closed|not an issue|no longer applies|no longer an issue|no longer relevant|moot|unrelated|irrelevant|pre-existing|preexisting|not yours|not your|known flaky|gone in|gone now|already gone|red herring|false alert|already handled|verified|for context|same as before|merged|superseded|known flake|waive|let it pass|let it slide|let this slide|let that slide|dropped|n/a|none|all clear|generated|vendored|third-party|works for me|don't mind|do not mind|don't care|do not care|doesn't matter|does not matter|already addressed|already done|already resolved|already dealt with|already sorted|taken care of|dealt with|sorted|sorted out|solved|no longer there|no longer present|is gone now|are gone now|no longer a problem|withdrew|misread|my mistake|my bad|i was wrong|solved now|
gelöst|hat sich erledigt|ist gefixt|gefixt|bereits erledigt|schon erledigt|schon behoben|zurückgezogen|ya corregido|ya resuelto|ya solucionado|solucionado|solucionada|ya hecho|réglé|réglée|déjà fait|déjà réglé|c'est fait|já feito|já resolvido|já arrumado|arrumado|
erledigt|behoben|gelöst|bereits behoben|hinfällig|resuelto|resuelta|hecho|ya está|corregido|arreglado|descartado|résolu|résolue|fait|corrigé|corrigée|déjà corrigé|caduc|resolvido|resolvida|feito|corrigido|já corrigido|descartado|risolto|fatto|opgelost|gedaan|готово|исправлено`,
	Later: `follow-up|follow up|followup|follow-ups|followups|separate pr|separate mr|separate change|separate commit|separate ticket|separate issue|separate patch|separately|another pr|another change|another mr|another ticket|another patch|another day|another time|other pr|different pr|different change|own pr|its own pr|next pr|next sprint|next release|next iteration|next quarter|later|not now|not this pr|not in this pr|not for this pr|not for this change|not in this change|not today|not here|out of scope|outside the scope|outside of this|beyond the scope|in the future|future work|backlog|after merge|post-merge|after the merge|after the release|when we get to it|down the road|eventually|some day|someday|can wait|tracked in|tracked by|i'll do it|i will do|i'll take|i'll handle|i'll fix|i'll send|i will send|i'll open|i'll file|i filed|filed|opened an issue|opened a ticket|ticket for|own ticket|own change|own patch|their own|team owns|owned by|belongs to the|is handled by|platform team|deferred|defer|deferring|postpone|postponed|parked|another team|new ticket|new issue|subsequent|v2|phase 2|next series|later series|skipped it|i skipped|left it out|i left out|next time|next round|another round|at some point|down the line|long term|long-term|long run|will be handled|being handled|will be addressed|will be fixed|will be dealt with|is tracked|are tracked|let's not|let's do that when|let's do it when|let's do that once|let's do it once|do that when|predates|predates this|already like that|was so before|was like that before|was that way before|was that way|already the case|has always been|already reported|reported as|already filed|already tracked|known issue|known problem|war vorher schon so|auch schon so|schon vorher so|vorher schon|ya era así|déjà comme ça|déjà ainsi|ya estaba así|c'était déjà le cas|já era assim|already that way before|was there before|was already there|not introduced here|not introduced by|not caused by|separate discussion|discuss separately|handle separately|own review|different story|another story|for the record|no rush|no hurry|
aufgeräumt wird später|separat|getrennt|gesondert|danach|irgendwann|beim nächsten mal|nächstes mal|ein andermal|kümmere ich mich|mache ich selbst|heben wir uns auf|nicht hier|nicht teil|außerhalb|
otro día|para otro día|lo actualizamos|lo hacemos|lo vemos|lo arreglamos|lo cambiamos|lo revisamos|lo movemos|otro momento|en otro momento|por separado|aparte|lo dejamos para|lo dejo para|próximamente|me encargo|me ocupo|ya veremos|más tarde|no en esta|
séparément|on verra|un autre jour|une prochaine fois|la prochaine fois|ultérieurement|je m'en occupe|je m'en charge|à part|pas dans cette|pas ici|
separadamente|fica para|deixamos para|deixo para|outro dia|outro momento|em outro momento|fora deste|eu cuido|numa próxima|na próxima|não nesta|
separatamente|un'altra volta|apart|een andere keer|later wel|отдельно|späteren|später|separater pr|separaten pr|eigenen pr|eigener pr|anderen pr|extra pr|eigenes ticket|eigenem ticket|nicht jetzt|nicht in diesem|folge-pr|otro pr|otra pr|pr aparte|pr separado|más adelante|después|luego|en otro|en otra|no ahora|no en este|fuera de alcance|fuera del alcance|otro ticket|autre pr|une autre|un autre ticket|prochaine pr|plus tard|pas maintenant|hors périmètre|hors sujet|hors scope|outro pr|outra pr|pr separado|mais tarde|depois|não agora|não neste|fora do escopo|próximo pr|outro ticket|più tardi|altra pr|aparte pr|aparte mr|andere pr|позже|потом`,
	Ref: `like|as in|same as|the way|see|see also|cf|compare|compare with|compared with|compared to|per|according to|following|follow|mirrors|mirror|matches|match|matching|copied from|copy from|copy of|taken from|borrowed from|lifted from|depend on|depends on|rely on|relying on|what you have in|what we have in|what is in|what's in|inspired by|modelled on|modeled on|based on|called from|called by|calls from|caller|callers|used by|used in|used from|imported by|imported from|import from|via|through|unlike|instead of|rather than|than|already in|exists in|lives in|defined in|declared in|stack shows|stack also shows|trace shows|trace also shows|backtrace shows|it's done in|is done in|is handled in|is checked in|happens in|covers|cover|covering|exercises|in line with|shown in|documented in|described in|specified in|as per|for an example|an example|for example|example|e.g|such as|in favour of|in favor of|consistent with|in line with|in sync with|aligned with|analogous to|similar to|conflicts with|against|from|surfaces in|shows up in|showed up in|visible in|seen in|doppelt zu|identisch zu|identisch mit|copia de|copie de|cópia de|igual a|duplicates|duplicate of|repeats|reimplements|overlaps with|clashes with|a copy of|identical to|reproduces in|reproduced with|tested with|tested in|covered by|covered in|caught by|found by|triggered by|triggered from|reached from|reported by|generated by|generated from|produced by|introduced by|pattern in|pattern from|pattern of|the one in|the ones in|what we do in|what we did in|as we do in|how|i looked at|looking at|i checked|i reviewed|went through|not just|contrast|modelled after|modeled after|crashes in|fails in|fails at|failing in|dies in|blows up in|while reading|when reading|while looking at|when looking at|reminds me of|known from|as seen in|failing test is|the caller is|the caller|vorbild|vorbild ist|beispiel|beispiel in|genau wie|so wie|ähnlich wie|à l'image de|sur le modèle de|tal como|tal y como|al estilo de|assim como|tal como em|no estilo de|a exemplo de|
wie|wie in|siehe|vgl|vergleiche|analog zu|statt|anstatt|laut|gemäß|aufgerufen von|aufgerufen aus|verwendet in|benutzt in|aus|como|como en|como hace|igual que|véase|ver|según|en vez de|en lugar de|llamado desde|se llama desde|usado en|desde|copiado de|comme|comme dans|voir|cf|selon|au lieu de|plutôt que|appelé depuis|appelé par|utilisé dans|utilisé par|depuis|ainsi que le fait|igual a|igual ao|como em|como no|como na|veja|conforme|segundo|em vez de|ao invés de|chamado de|chamado por|usado em|a partir de|come|come in|vedi|zoals|zie|как|как в|см`,
	Shows: `is right to|are right to|was right to|shows|demonstrates|illustrates|does it|does this|does that|does so|does the same|already|has the right|has the same|has the pattern|has an example|calls it|still calls it|still calls|uses it|imports it|depends on it|relies on it|needs it|calls this|uses this|calls them|documents|describes|expects|asserts|is the caller|only surfaces|is where|is just the|is only the|is merely|merely|just calls|only calls|tells|did it|did this|is a good example|is a good model|is the model|is the example|is an example|is the template|is the reference|is the pattern|gets it right|got it right|gets this right|is a victim|is the victim|trips over|chokes on|hits this|as a model|as a template|as an example|as a reference|as inspiration|as a guide|als vorbild|als beispiel|als vorlage|como modelo|como ejemplo|como exemplo|como referencia|como referência|comme modèle|comme exemple|would break|will break|only triggers|triggers it|just triggers|has a function for|has a helper for|depends on them|depends on this|depends on that|will follow|follows automatically|has one already|has exactly that|comes from there|relies on|lead there|leads there|just lead|gets away with|does not need|doesn't need|handles this|handles it|says so|points at|
zeigt|macht es|macht das|hace lo mismo|lo hace|ya lo hace|muestra|montre|le fait|le fait déjà|faz isso|já faz|mostra|lo fa|toont`,
	Bad: `still tells|still says|still describes|still documents|still mentions|still uses|still refers|still imports|still has|dies|hangs|explodes|chokes|truncates|corrupts|overwrites|swallowed|mishandles|miscounts|leaks|wrong|has no|have no|bug|bugs|broken|leak|leaks|race|races|breaks|break|crash|crashes|fails|fail|incorrect|typo|typos|unused|dead|duplicate|duplicated|ignores|ignored|loses|lost|drops|forgets|forgot|misses|swallows|unbounded|hides|stale|misleading|overflow|overflows|deadlock|deadlocks|vulnerable|insecure|injection|racy|off by one|off-by-one|unsafe|never|too long|too many|too slow|too large|hard-coded|hardcoded|problem|issue|not ok|not fine|not correct|not right|not good|not clean|not nice|not great|isn't right|isn't correct|panics|panic|raises|throws|error|errors|blocks|smell|ugly|inconsistent|outdated docs|no longer matches|regression|not happy|not convinced|don't like|do not like|dislike|hate|isn't safe|not safe|isn't correct|won't work|doesn't work|does not work|doesn't compile|does not compile|doesn't build|not quite|needs work|confusing|sloppy|hacky|brittle|fragile|flawed|nonsense|pointless|redundant|superfluous|cycle|circular|cyclic|can't follow|cannot follow|hard to follow|hard to read|demasiado|demasiada|trop|a step back|no-go|unacceptable|nervous|worried|confuses|smells|leftover|left over|flipped|unidiomatic|inefficient|quadratic|cryptic|verbose|clumsy|awkward|horrible|terrible|awful|mess|messy|poor|bad|weird|strange|odd|suspicious|dubious|dangerous|risky|out of date|out of sync|outdated|untested|undocumented|uninitialised|uninitialized|unreachable|unhandled|unchecked|unvalidated|mismatch|contradicts|
stimmt nicht|nicht richtig|nicht korrekt|passt nicht|veraltet|überflüssig|doppelt|unklar|tippfehler|unsauber|undicht|verschluckt|geht verloren|geht nicht|funktioniert nicht|no funciona|desactualizado|desactualizada|obsoleto|sobra|sobran|repetido|mal escrito|se pierde|ne marche pas|ne fonctionne pas|obsolète|périmé|plus à jour|en trop|redondant|desatualizado|desatualizada|não funciona|sobrando|repetido|falsch|fehler|fehlerhaft|kaputt|verliert|vergisst|ungenutzt|mal|error|falla|fallan|errata|fuga|incorrecto|pierde|olvida|no cierra|erreur|faux|fausse|fuite|oublie|perd|coquille|mauvais|errado|errada|erro|vazamento|quebra|perde|esquece|vaza|sbagliato|errore|fout|ошибка|неправильно`,
	Query:  `i don't see why|i was wondering|i wonder|i'm wondering|can you explain|could you explain|can you tell|could you tell|can you clarify|could you clarify|can you say|can you elaborate|can you remind me|why|what|how|does|do|did|is|are|was|were|which|who|when|where|any reason|curious|wondering|wonder|would it|should|could it|will|has|have|isn't|doesn't|can it|out of curiosity|warum|wieso|was|wozu|ist|por qué|qué|cómo|es|está|pourquoi|quoi|est-ce|por que|o que|perché|waarom|почему|зачем`,
	Polite: `can you|could you|would you|will you|can we|could we|shall we|can this|could this|mind|any chance|what about|be possible|would it make sense|does it make sense to|makes sense to|dá para|dá pra|daria para|seria possível|é possível|se puede|sería posible|te importa|te importaría|serait-il possible|est-ce possible|possible de|ist es möglich|wäre es möglich|ginge es|magst du|würdest du|may i ask you|should we not|shouldn't we|shouldn't this|shouldn't it|how about|why not|can i ask you|can these|could these|any chance you|kannst du|könntest du|können sie|könnten sie|können wir|könnten wir|puedes|podrías|pueden|podemos|podéis|tu peux|vous pouvez|tu pourrais|vous pourriez|você pode|você consegue|consegue|você poderia|tu pourrais|peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|peut-on|pourrait-on|on peut|pode|poderia|podemos|podes|puoi|potresti|kun je|kunt u|можешь|можете`,
	But:    `but|however|though|although|except that|only that|yet|still needs|whereas|while|nevertheless|that said|otherwise|aber|jedoch|allerdings|pero|sin embargo|mais|cependant|en revanche|toutefois|mas|porém|ma|però|maar|но`,
	Create: `put it back|put them back|put that back|put this back|bring it back|bring them back|bring that back|add|added|create|restore|commit|committed|bring back|brought back|put back|reinstate|come back|comes back|resurrect|undelete|missing|without|lacks|needs a|need a|need an|needs an|is gone|was deleted|got deleted|was removed|split|extract|introduce|new file|new|write|there is no|no|forgot|should exist|become|becomes|call it|call this|name it|nenn es|nenne es|llámalo|appelle-le|chame de|be called|be named|il manque|manquent|belongs in|goes in|goes into|should live in|should be in|into|include|
hinzufügen|ergänzen|anlegen|lege|wiederherstellen|fehlt|neue|neuen|añadir|añade|agrega|agregar|crea|crear|restaura|restaurar|recupera|recuperar|falta|faltan|ajouter|ajoutez|ajoute|créer|créez|restaurer|restaure|rétablir|manque|adicionar|adicione|adiciona|crie|criar|restaure|restaurar|falta`,
	Moved: `call it|call this|name it|nenn es|nenne es|llámalo|appelle-le|chame de|be called|be named|rename|renamed|renaming|move|moved|moving|umbenennen|umbenannt|verschieben|renombrar|renombra|renombrado|mueve|mover|movido|renommer|renommé|renommez|déplacer|déplacé|renomear|renomeie|renomeado|mova`,
	Undo:  `put it back|put them back|put that back|put this back|bring it back|bring them back|bring that back|undo|revert|back out|roll back|rückgängig|deshacer|revertir|revierte|annuler|annule|reverter|desfazer|desfaça|reverta|restore|take back`,
	Seen: `files reviewed|reviewed files|files checked|files read|reviewed|i reviewed|looked at|i looked at|i read|i have read|have read|i went through|went through|checked ok|for reference|background reading|background|context|references|see also|related|related files|files in this pr|files changed|changed files|tested on|tested with|i ran|ran|commands run|checked|read through|skimmed|i skimmed|inspected|scope of review|reviewed so far|coverage of this review|i've tested|i have tested|i tested|tested manually|was reviewed by|reviewed by|did not review|didn't review|haven't reviewed|have not reviewed|didn't look|did not look|haven't looked|have not looked|not looked at|waiting for|wait for|i've run|i ran|we ran|we tested|
only looked|only read|only skimmed|überflogen|nur überflogen|nicht angesehen|nicht geprüft|no he mirado|no he revisado|pas regardé|pas relu|não olhei|não revisei|geprüft|gelesen|durchgesehen|angesehen|geprüfte dateien|archivos revisados|revisados|revisé|revisado|leído|fichiers relus|fichiers lus|relu|relus|lus|arquivos revisados|revisei|lidos|file rivisti|bekeken`,
	Copula: `looks like|look like|feels like|seems like|i see|is|are|was|were|looks|look|seems|seem|be|it's|that's|they're|reads|feels|ist|sind|sieht|es|está|son|están|est|sont|semble|é|são|está|estão|parece|è|sono`,
	Except: `except|except for|excepting|besides|other than|apart from|but not|aside from|all but|save for|with the exception of|excluding|außer|bis auf|mit ausnahme von|excepto|salvo|menos|sauf|hormis|à l'exception de|exceto|tranne|behalve|кроме`,
	Every:  `all|every|each|everything|everywhere|any|whole|entire|both|rest|other|others|remaining|alle|jede|jeder|sämtliche|überall|restlichen|anderen|todos|todas|cada|demás|resto|otros|otras|tous|toutes|chaque|autres|partout|todo|toda|outros|outras|demais|restantes|tutti|tutte`,
	Where:  `row|rows|line|lines|l|ll|ln|lns|zeile|zeilen|línea|líneas|linea|lineas|ligne|lignes|linha|linhas|riga|righe|regel|regels|строка|строки|строке|строках|строку|rad|linje|lin|z`,
	Recall: `scratch my|scratch the|scratch point|strike my|strike the|forget about my|forget point|ignore point|ignore comment|ignore the first|ignore the second|retract|i retract|ignore me|scratch that|never mind|nevermind|nvm|withdraw|i withdraw|i take back|take that back|taking back|disregard|please ignore|ignore my|forget my|strike that|forget what i said|vergiss das|oubliez ça|desconsidere`,
	Gone:   `take it out|take this out|take that out|take them out|throw it out|throw it away|rip it out|pull it out|back it out|leave it out|remove|removed|delete|deleted|drop|dropped|strip|take|pull|get|rip|cut|gone|kill|missing|absent|disappeared|vanished|dropped out|lost|entferne|entfernen|raus|lösche|quita|quitar|elimina|eliminar|retirer|retirez|supprimer|supprimez|enlever|remover|remova|tirar|tire|retire`,
	Fixup:  `fix|fix them|fix these|fix those|fix both|fix all|to zero|get it green|get this green|green|mend|address|clean up|clean|both|all of them|all of these|these|those|each|every one|resolve|sort out|beheben|korrigieren|alle|corregir|corrige|arregla|todos|corriger|corrigez|tous|toutes|corrigir|corrija|todas`,
}

// eastern are phrases of languages without spaces, found anywhere in a clause.
var eastern = map[Class]string{
	Ask:    `してください|て下さい|てください|お願いします|修正して|直して|削除して|戻して|追加して|変更して|ほしいです|たいです|请修|请改|请删|请加|请把|请将|请在|请补|请移|请恢复|请用|请处理|修复|改成|改为|删掉|需要修改|해 주세요|해주세요|부탁`,
	Need:   `不要では|いらないのでは|必要があります|必要です|べき|抜けて|足りない|がありません|ないと|漏れて|需要|应该|应当|必须|缺少|缺|没有|漏了|不对|야 합니다|필요`,
	Keep:   `そのまま|変更しないで|変更不要|触らないで|対応不要|修正不要|修正は不要|変更は不要|対応は不要|不要改|不要动|不用改|不需要改|不需要修改|无需|别动|保持不变|保持原样|別に変え|변경하지|그대로`,
	Good:   `ありがとう|良い感じ|いい感じ|良くなって|良くなり|よくなり|特に指摘|指摘はありません|指摘なし|指摘事項なし|特になし|特にありません|コメントはありません|読みやすい|読みやすく|よさそう|良さそう|問題ナシ|異論ありません|写得很|很清楚|没有意见|没意见|看起来不错|挺好|很棒|优雅|清晰|没毛病|点赞|没什么问题|没有其他问题|좋아요|좋네요|괜찮|훌륭|깔끔|問題ありません|問題はありません|問題がありません|問題ないと|問題ない|問題なし|良いと思います|いいと思います|良いです|いいですね|素晴らしい|きれい|大丈夫|没问题|没有问题|很好|不错|写得好|可以的|正确|赞|좋습니다|문제 없|문제없`,
	Done:   `修好了|已经修|已改|已更正|已经解决|已经处理|修正を確認|確認しました|確認済み|対応されて|解消され|直っています|直って|解決済み|対応済み|修正済み|済みです|完了|取り下げ|已解决|已修复|已完成|已处理|误报|해결됨|완료`,
	Later:  `今回は不要|今回は見送|次回|別PR|別のPR|別 PR|別の PR|次のPR|次の PR|今後|後で|後日|別チケット|別途|另外的PR|另一个PR|另一个 PR|另开|单独的PR|单独的 PR|下个PR|下一个 PR|下一个PR|以后|后续|本次不|这次不|再处理|再说|另外处理|下一期|下个版本|先不|다음 PR|나중에|별도`,
	Shows:  `と重複|と被って|と同じ|と同様|のように|を参考|を参照|に倣|に合わせ|から呼ば|が呼んで|的写法|那样|一样|的做法|처럼|참고`,
	Ref:    `参考|参照|像|按照|类似|仿照|调用自|和|与`,
	Bad:    `間違|誤り|バグ|漏れ|エラー|落ち|壊れ|错误|错了|泄漏|泄露|有问题|崩溃|不正确|버그|오류`,
	Seen:   `没有细看|没细看|没有看|没看|未看|未审|没审|見ていません|未確認|確認していません|読んでいません|안 봤|못 봤`,
	But:    `ですが|けど|ただし|しかし|但是|但|不过|하지만`,
	Create: `缺少|缺|追加|作成|復元|戻して|入れて|添加|新增|恢复|新建|补上|加上|추가|복원`,
	Moved:  `リネーム|改名|移動|重命名|移到|移动`,
	Polite: `できますか|もらえますか|いただけますか|いただけません|でしょうか|能否|能不能|可以把|可否|是不是应该`,
	Query:  `必要なのでしょうか|のでしょうか|なぜ|どうして|何故|ですか|为什么|为何|吗|왜`,
}

// nothing are phrases that say nothing, though a word in them does.
const nothing = "as well|may well|might well|could well|as well as|so far|no longer|not only|sooner or later|next line|on top|on top of|at the top|top of|better known|in good time|the right|right side|right hand|right away|right now|right after|right before|right at|right in|well known|" +
	"own good|well before|well after|no one|no op|while at it|while you're at it|while you are at it|while we're at it|while you're there|while you are there|for the next time|buenas tardes|buenas noches|buenos días|buen día|muy buenas|good morning|good afternoon|good evening|good day|guten tag|guten morgen|guten abend|schönen gruß|schöne grüße|bom dia|boa tarde|boa noite|bonne journée|bonne soirée|buongiorno|good luck|super minor|super small|super tiny|no-op|noop|let's talk about|let's look at|feel free to ignore|feel free|praise is due|credit is due|where praise is due|safe mode|good enough for"

type lexicon struct {
	phrases map[string]Class
	eastern []easternPhrase
	longest int
}

type easternPhrase struct {
	text  string
	is    Class
	mixed bool // with Latin letters
}

var lex = sync.OnceValue(func() *lexicon {
	l := &lexicon{phrases: map[string]Class{}}
	for c, list := range words {
		for _, p := range strings.Split(strings.ReplaceAll(list, "\n", ""), "|") {
			if p != "" {
				l.phrases[p] |= c
				l.longest = max(l.longest, strings.Count(p, " ")+1)
			}
		}
	}
	// "needs a" makes a file, and needs it all the same: what asks in a phrase still does
	for p, is := range l.phrases {
		if is&(Keep|Done|Later|Good|Query|Polite|Ref|Shows|Recall|Except) == 0 && strings.Contains(p, " ") {
			for _, w := range strings.Fields(p) {
				is |= l.phrases[w] & (Need | Ask)
			}
			l.phrases[p] = is
		}
	}
	for _, p := range strings.Split(nothing, "|") {
		l.phrases[p] = 0
	}
	for c := Class(1); c <= Fixup; c <<= 1 {
		for _, p := range strings.Split(eastern[c], "|") {
			if p != "" {
				l.eastern = append(l.eastern, easternPhrase{strings.ToLower(strings.ReplaceAll(p, " ", "")), c, strings.Contains(p, "PR")})
			}
		}
	}
	return l
})

// Phrase is what a word, or several with single spaces between, says by itself; lower case.
func Phrase(words string) Class { return lex().phrases[words] }

// Mixed is what a run of script without spaces says by the phrases that a word in Latin
// letters is part of: "別PR".
func Mixed(joined string) Class {
	var has Class
	for _, p := range lex().eastern {
		if p.mixed && strings.Contains(joined, p.text) {
			has |= p.is
		}
	}
	return has
}
