package words

import "strings"

// Tongue is what is known of another language: imperatives and infinitives, words
// between clauses, how something is left alone, how a complaint sounds.
type Tongue struct {
	verbs   map[string]Sense
	Join    map[string]bool // conjunctions
	Keep    []string        // behind a subject: "bleibt", with spaces around
	Hands   []string        // before an object: "ändere nicht", "no toques"
	Wrong   []string
	Also    map[string]bool
	Polite  map[string]bool
	Article map[string]bool // of things that are not there yet
}

// Verb looks up a form that a request begins or, in German, ends with.
func (t Tongue) Verb(w string) (Sense, bool) { s, ok := t.verbs[w]; return s, ok }

// Speak is what is known of a language; of one that is not read it is nothing.
func Speak(lang string) Tongue { return tongues[lang] }

func tongue(add, modify, fix, remove, create, keep, hands, wrong, join, also, polite, article string) Tongue {
	list := func(s string) []string {
		var out []string
		for p := range strings.SplitSeq(s, "|") {
			out = append(out, " "+p+" ")
		}
		return out
	}
	return Tongue{verbs: table2(add, modify, fix, remove, create), Join: set(join), Also: set(also), Keep: list(keep), Hands: list(hands), Wrong: list(wrong), Polite: set(polite), Article: set(article)}
}

func table2(add, modify, fix, remove, create string) map[string]Sense {
	out := map[string]Sense{}
	for sense, l := range map[Sense]string{Add: add, Modify: modify, Fix: fix, Remove: remove, Make: create} {
		for w := range fields(l) {
			out[w] = sense
		}
	}
	return out
}

var tongues = map[string]Tongue{
	"de": tongue(`füge fügt hinzufügen ergänze ergänzen hinzu implementiere implementieren ermögliche zeige zeig anzeigen speichere brauchen brauche baue einbauen einbaue bräuchten unterstütze exportiere schreibe sende verschicke`,
		`ändere ändern änder benenne umbenennen ersetze ersetzen verschiebe verschieben aktualisiere aktualisieren mache mach vergrößere verkleinere sortiere sortieren tausche wechsle migriere konvertiere übersetze stelle verwende nutze passe anpassen umstellen teile refaktoriere aufteilen beschleunige erhöhe`,
		`behebe beheben repariere reparieren korrigiere korrigieren fixe fixen löse`,
		`entferne entfernen lösche löschen streiche raus rauswerfen weg`,
		`erstelle erstellen baue entwickle schreib erzeuge programmiere`,
		`bleibt|bleiben|soll bleiben|sollen bleiben|darf sich nicht ändern|dürfen sich nicht ändern|unverändert`,
		`lass|lasse|ändere nicht|nicht anfassen|fasse nicht|behalte|behalten`,
		`funktioniert nicht|funktionieren nicht|geht nicht|gehen nicht|fehler|stürzt|absturz|kaputt|falsch|falsche|falschen|abgeschnitten|hängt|bug|nicht mehr|verschwindet|doppelt|leer|langsam|fehlt|fehlen|tippfehler|ist weg|stürzt|bricht ab|friert ein|wird nicht|werden nicht|kann man nicht|kann nicht`,
		`und sowie außerdem aber`, `außerdem auch zudem zusätzlich ebenfalls ebenso`, `bitte auch außerdem könntest könnt können du ihr wir mal dann zudem noch kannst man ich`, `ein eine einen neue neuen neues`),
	"fr": tongue(`ajoute ajouter ajoutez rajoute implémente implémenter affiche afficher affichez enregistre permets permettre envoie exporte traduis documente`,
		`change changer changez modifie modifier modifiez renomme renommer renommez remplace remplacer remplacez déplace déplacer mets mettre mettez convertis migre migrer trie trier rends réduis augmente passe utilise refactorise actualise`,
		`corrige corriger corrigez répare réparer réparez résous résoudre`,
		`supprime supprimer supprimez enlève enlever enlevez retire retirer retirez vire efface`,
		`crée créer créez construis construire développe écris génère fais`,
		`reste|restent|doit rester|doivent rester|ne doit pas changer|ne doivent pas changer|inchangé|inchangée|inchangés`,
		`ne touche pas à|ne touche pas|ne touchez pas à|ne touchez pas|ne change pas|ne changez pas|ne modifie pas|ne modifiez pas|garde|gardez|conserve|laisse|sans toucher à|sans changer|sans modifier`,
		`ne marche pas|ne marche plus|ne fonctionne pas|ne fonctionne plus|ne s'affiche pas|ne s'affiche plus|plante|erreur|bug|cassé|cassée|faux|fausse|n'arrive plus|impossible|ne charge|ne répond|disparaît|manque|lent|lente|coupé|ne sont pas|n'est pas|ne peut pas|ne peut plus`,
		`et puis mais`, `aussi également outre`, `s'il vous te plaît svp stp aussi peux-tu pouvez-vous il faut faudrait également`, `un une des nouveau nouvelle`),
	"es": tongue(`añade añadir añada agrega agregar agregue implementa implementar muestra mostrar permite guarda exporta envía incluye incluir traduce documenta`,
		`cambia cambiar cambie modifica modificar renombra renombrar reemplaza reemplazar sustituye mueve mover actualiza actualizar convierte convertir migra migrar ordena haz pon poner usa aumenta reduce refactoriza`,
		`corrige corregir corrija arregla arreglar arregle repara reparar soluciona solucionar`,
		`elimina eliminar elimine borra borrar borre quita quitar quite suprime`,
		`crea crear cree construye construir desarrolla escribe genera`,
		`queda|quedan|debe quedar|deben quedar|no debe cambiar|no deben cambiar|se queda|se quedan|sin cambios`,
		`no toques|no toque|no cambies|no cambie|no modifiques|mantén|mantener|mantenga|conserva|deja|sin tocar|sin cambiar|sin modificar`,
		`no funciona|no funcionan|no carga|no aparece|no aparecen|no se muestra|no se puede|error|falla|fallan|se cierra|se cuelga|roto|rota|bug|ya no|incorrecto|incorrecta|mal|desaparece|lento|lenta|duplicado|falta|no deja|no guarda|no llega`,
		`y pero e además`, `además también tampoco`, `por favor también puedes podrías podéis hay que se puede además`, `un una unos unas nuevo nueva`),
	"pt": tongue(`adicione adiciona adicionar acrescente acrescenta acrescentar implemente implementa mostre mostra mostrar permita guarde exporte envie inclua incluir traduza documente`,
		`mude muda mudar altere altera alterar renomeie renomeia renomear substitua substitui substituir troque troca mova move mover atualize atualiza atualizar converta migre ordene faça ponha coloque use usa aumente reduza refatore`,
		`corrija corrige corrigir conserte conserta consertar arrume arruma arrumar resolva repare`,
		`remova remove remover apague apaga apagar exclua exclui excluir elimine tire tira tirar`,
		`crie cria criar construa desenvolva escreva gere`,
		`fica|ficam|deve ficar|devem ficar|não deve mudar|não devem mudar|permanece|permanecem|sem alterações`,
		`não mexa em|não mexa no|não mexa na|não mexa|não toque em|não toque no|não toque na|não toque|não mude|não altere|mantenha|mantém|manter|deixe|sem mexer em|sem mexer|sem mudar|sem alterar`,
		`não funciona|não funcionam|não carrega|não aparece|não aparecem|não abre|erro|falha|falham|trava|quebrado|quebrada|bug|não dá|não consigo|errado|errada|some|sumiu|lento|lenta|duplicado|falta|não salva`,
		`e mas também`, `também além`, `por favor também pode poderia podes é preciso além disso`, `um uma uns umas novo nova`),
	"it": tongue(`aggiungi aggiungere aggiunga implementa implementare mostra mostrare permetti salva esporta invia includi includere traduci documenta inserisci`,
		`cambia cambiare cambi modifica modificare rinomina rinominare sostituisci sostituire sposta spostare aggiorna aggiornare converti migra ordina metti mettere rendi usa aumenta riduci rifattorizza`,
		`correggi correggere corregga ripara riparare sistema sistemare risolvi risolvere aggiusta`,
		`rimuovi rimuovere elimina eliminare cancella cancellare togli togliere`,
		`crea creare costruisci sviluppa scrivi genera`,
		`resta|restano|rimane|rimangono|deve restare|devono restare|deve rimanere|non deve cambiare|non devono cambiare|invariato|invariata|invariati`,
		`non toccare|non modificare|non cambiare|mantieni|mantenere|lascia|lasciare|senza toccare|senza cambiare|senza modificare`,
		`non funziona|non funzionano|non si apre|non si vede|non appare|non carica|errore|si blocca|va in crash|rotto|rotta|bug|non va|sbagliato|sbagliata|sparisce|lento|lenta|doppio|manca|fallisce|non riesco|non salva`,
		`e ed ma poi`, `anche inoltre pure`, `per favore anche puoi potresti potete bisogna inoltre`, `un una uno dei delle nuovo nuova due`),
}
