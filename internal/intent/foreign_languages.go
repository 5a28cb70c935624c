package intent

import (
	"strings"
	"sync"
)

// languageWords is the source of a vocabulary: verbs by sense, phrases separated by bars.
type languageWords struct {
	add, modify, fix, remove, create           string
	keep, handsOff, wrong, wish, must, removal string
	join, also, polite, article                string
	none, so, persist                          string
}

func (s languageWords) build() ForeignLanguage {
	list := func(s string) []string {
		var out []string
		for p := range strings.SplitSeq(s, "|") {
			if p != "" {
				out = append(out, " "+p+" ")
			}
		}
		return out
	}
	return ForeignLanguage{verbs: senseTable(s.add, s.modify, s.fix, s.remove, s.create), Join: set(s.join), Also: set(s.also),
		Keep: list(s.keep), HandsOff: list(s.handsOff), NoneOf: list(s.none), HowItIs: set(s.so), WrongStates: set(s.persist),
		Wrong: list(s.wrong),
		Wish:  list(s.wish), Must: list(s.must), Removal: list(s.removal), Polite: set(s.polite), Article: set(s.article)}
}

// foreignLanguages are built on first use.
var foreignLanguages = sync.OnceValue(func() map[string]ForeignLanguage {
	out := make(map[string]ForeignLanguage, len(languageWordLists))
	for lang, s := range languageWordLists {
		out[lang] = s.build()
	}
	return out
})

var languageWordLists = map[string]languageWords{
	"de": {
		add: `füge fügt hinzufügen ergänze ergänzen hinzu implementiere implementieren ermögliche ermöglichen zeige
			zeig anzeigen speichere speichern brauchen brauche baue einbauen einbaue einfügen bräuchten unterstütze
			unterstützen exportiere exportieren schreibe sende verschicke verschicken mitschicken mitsenden
			benachrichtige drucken einblenden mitloggen protokolliere dokumentiere`,
		modify: `ändere ändern änder benenne umbenennen ersetze ersetzen verschiebe verschieben aktualisiere
			aktualisieren mache mach machen vergrößere vergrößern verkleinere verkleinern sortiere sortieren tausche
			tauschen wechsle wechseln migriere migrieren konvertiere übersetze stelle stell verwende verwenden nutze
			passe anpassen umstellen umbauen teile refaktoriere aufteilen beschleunige beschleunigen erhöhe erhöhen
			senke reduziere kürze kürzen setze setzen ausblenden austauschen umsteigen zeichne rücke ausrichten`,
		fix:    `behebe beheben repariere reparieren korrigiere korrigieren fixe fixen löse lösen`,
		remove: `entferne entfernen lösche löschen streiche streichen raus rauswerfen rausnehmen weg wegmachen schmeiß wirf rauswirf`,
		create: `erstelle erstellen baue bauen entwickle entwickeln schreib schreiben erzeuge programmiere`,
		keep: `bleibt|bleiben|soll bleiben|sollen bleiben|soll so bleiben|darf sich nicht ändern|` +
			`dürfen sich nicht ändern|unverändert|bitte nicht anfassen|nicht anfassen|nicht ändern|nicht verändern|` +
			`nicht antasten|nicht anrühren|bitte so lassen|so lassen|in ruhe lassen|darf nicht verändert werden|` +
			`darf nicht angefasst werden|dürfen nicht angefasst werden|nicht angefasst|nicht verändert|nicht angerührt|` +
			`sollen unverändert|soll unverändert|müssen bleiben|muss bleiben|ist tabu|sind tabu|finger weg|bitte nicht|` +
			`wie bisher|wie gehabt|so lassen wie`,
		none:     `kein|keine|keinen|keinerlei|bitte kein|bitte keine|ohne`,
		so:       `wie so genau bitte unverändert`,
		persist:  `leer hängen stehen schwarz weiß grau negativo negativ stumm dunkel rot sichtbar gesperrt aktiv offen kalt nass`,
		handsOff: `lass|lasse|lasst|ändere nicht|fasse nicht|behalte|behaltet|ohne|keine neuen|kein neues`,
		wrong: `funktioniert nicht|funktionieren nicht|geht nicht|gehen nicht|fehler|stürzt|absturz|kaputt|falsch|` +
			`falsche|falschen|abgeschnitten|hängt|bug|nicht mehr|verschwindet|verschwinden|doppelt|leer|langsam|fehlt|` +
			`fehlen|tippfehler|ist weg|bricht|friert ein|wird nicht|werden nicht|kann man nicht|kann nicht|findet keine|` +
			`findet nicht|findet nichts|findet man nicht|zeigt keine|lädt nicht|weiße seite|leere seite|passiert nichts|` +
			`verrutscht|überlappt|zu spät|zu langsam`,
		wish: `wir brauchen|ich brauche|wir bräuchten|ich bräuchte|wir hätten gern|wir hätten gerne|hätten wir gern|` +
			`hätten wir gerne|hätte ich gern|hätte ich gerne|ich hätte gern|ich hätte gerne|ich möchte|wir möchten|` +
			`ich will|wir wollen|wünschen uns|wäre schön|wäre toll|wäre super|wäre gut|es fehlt noch|man sollte auch|ich wünsche mir`,
		must:    `soll|sollen|sollte|sollten|muss|müssen|müsste|müssten`,
		removal: `kann weg|können weg|muss weg|soll weg|sollen weg|kann raus|muss raus|fliegt raus`,
		join:    `und sowie außerdem aber`,
		also:    `außerdem auch zudem zusätzlich ebenfalls ebenso`,
		polite:  `bitte auch außerdem könntest könnt könnten können du ihr wir mal dann zudem noch kannst man ich sie`,
		article: `ein eine einen neue neuen neues`,
	},
	"fr": {
		add: `ajoute ajouter ajoutez rajoute rajouter implémente implémenter affiche afficher affichez enregistre
			enregistrer permets permettre envoie envoyer exporte exporter traduis documente inclure inclus intègre
			intégrer`,
		modify: `change changer changez modifie modifier modifiez renomme renommer renommez remplace remplacer
			remplacez déplace déplacer mets mettre mettez convertis convertir migre migrer trie trier rends rendre
			réduis réduire augmente augmenter passe passer utilise utiliser refactorise actualise agrandis agrandir
			cache cacher raccourcis`,
		fix:    `corrige corriger corrigez répare réparer réparez résous résoudre`,
		remove: `supprime supprimer supprimez enlève enlever enlevez retire retirer retirez vire virer efface effacer`,
		create: `crée créer créez construis construire développe développer écris écrire génère fais faire`,
		keep: `reste|restent|doit rester|doivent rester|ne doit pas changer|ne doivent pas changer|inchangé|` +
			`inchangée|inchangés|ne doit pas être|ne doivent pas être|ne bouge pas|ne bougent pas|n'y touchez pas|` +
			`n'y touche pas|on n'y touche pas|tel quel|telle quelle|tels quels|telles quelles|comme avant`,
		none:    `pas de|pas d'|aucun|aucune|sans|surtout pas de`,
		so:      `comme tel telle tels telles exactement`,
		persist: `vide blanc blanche noir noire figé figée bloqué bloquée affiché visible`,
		handsOff: `ne touche pas à|ne touche pas|ne touchez pas à|ne touchez pas|ne pas toucher à|ne pas toucher|` +
			`ne change pas|ne changez pas|ne modifie pas|ne modifiez pas|garde|gardez|garder|conserve|laisse|laissez|` +
			`sans toucher à|sans changer|sans modifier`,
		wrong: `ne marche pas|ne marche plus|ne fonctionne pas|ne fonctionne plus|ne s'affiche pas|ne s'affiche plus|` +
			`plante|erreur|bug|cassé|cassée|faux|fausse|n'arrive plus|impossible|ne charge|ne répond|disparaît|manque|` +
			`lent|lente|coupé|ne sont pas|n'est pas|ne peut pas|ne peut plus|rien ne se passe|page blanche|` +
			`ne s'ouvre pas|n'apparaît pas|en double|trop tard|ne fait rien|ne trouve rien|ne trouve pas|ne trouve plus|` +
			`ne voit pas|ne voit plus|ne voit rien`,
		wish: `on voudrait|nous voudrions|je voudrais|j'aimerais|on aimerait|nous aimerions|il nous faut|` +
			`il nous faudrait|il faudrait aussi|il faudrait|on a besoin|nous avons besoin|j'ai besoin|je veux|` +
			`nous voulons|ce serait bien|il manque encore`,
		must:    `doit|doivent|devrait|devraient`,
		removal: `peut partir|peut disparaître|à supprimer|doit disparaître`,
		join:    `et puis mais`,
		also:    `aussi également outre`,
		polite:  `s'il vous te plaît svp stp aussi peux-tu pouvez-vous pourrais-tu pourriez-vous il faut faudrait également pouvoir`,
		article: `un une des nouveau nouvelle`,
	},
	"es": {
		add: `añade añadir añada añadid agrega agregar agregue implementa implementar muestra mostrar permite
			permitir guarda guardar exporta exportar envía enviar incluye incluir traduce documenta`,
		modify: `cambia cambiar cambie modifica modificar renombra renombrar reemplaza reemplazar sustituye sustituir
			mueve mover actualiza actualizar convierte convertir migra migrar ordena ordenar haz hacer pon poner usa
			usar aumenta aumentar reduce reducir refactoriza traducir oculta ocultar`,
		fix:    `corrige corregir corrija arregla arreglar arregle repara reparar soluciona solucionar`,
		remove: `elimina eliminar elimine borra borrar borre quita quitar quite suprime suprimir saca`,
		create: `crea crear cree construye construir desarrolla desarrollar escribe escribir genera generar`,
		keep: `queda|quedan|debe quedar|deben quedar|no debe cambiar|no deben cambiar|se queda|se quedan|sin cambios|` +
			`no se toca|no se tocan|no la toquéis|no lo toquéis|no las toquéis|no los toquéis|no la toques|no lo toques|` +
			`no las toques|no los toques|no la toque|no lo toque|no se cambia|no se cambian|como está|como están|` +
			`tal cual|tal como está|igual que ahora|como hasta ahora`,
		none:    `nada de|ningún|ninguna|sin|por favor sin`,
		so:      `como tal igual`,
		persist: `negro negra vacío vacía blanco bloqueado bloqueada colgado negativo en`,
		handsOff: `no toques|no toque|no toquéis|no cambies|no cambie|no modifiques|mantén|mantener|mantenga|conserva|` +
			`deja|sin tocar|sin cambiar|sin modificar`,
		wrong: `no funciona|no funcionan|no carga|no aparece|no aparecen|no se muestra|no se puede|error|falla|fallan|` +
			`se cierra|se cuelga|roto|rota|bug|ya no|incorrecto|incorrecta|mal|desaparece|lento|lenta|duplicado|falta|` +
			`no deja|no guarda|no llega|no hace nada|no encuentra|no encuentra nada|no pasa nada|en blanco|no abre|no responde`,
		wish: `necesito|necesitamos|quiero|queremos|quisiera|quisiéramos|me gustaría|nos gustaría|hace falta|` +
			`estaría bien|sería bueno|sería genial`,
		must:    `debe|deben|debería|deberían|tiene que|tienen que|ha de`,
		removal: `puede desaparecer|hay que quitar|sobra|fuera`,
		join:    `y pero e además`,
		also:    `además también tampoco`,
		polite:  `por favor también puedes podrías podéis hay que se puede además poder`,
		article: `un una unos unas nuevo nueva`,
	},
	"pt": {
		add: `adicione adiciona adicionar acrescente acrescenta acrescentar implemente implementa mostre mostra
			mostrar permita permitir guarde exporte exportar envie enviar inclua incluir traduza documente coloque`,
		modify: `mude muda mudar altere altera alterar renomeie renomeia renomear substitua substitui substituir
			troque troca trocar mova move mover atualize atualiza atualizar converta migre migrar ordene ordenar faça
			ponha use usa usar aumente aumentar reduza reduzir refatore esconda`,
		fix:    `corrija corrige corrigir conserte conserta consertar arrume arruma arrumar resolva resolver repare`,
		remove: `remova remove remover apague apaga apagar exclua exclui excluir elimine eliminar tire tira tirar`,
		create: `crie cria criar construa desenvolva desenvolver escreva gere`,
		keep: `fica|ficam|deve ficar|devem ficar|não deve mudar|não devem mudar|permanece|permanecem|sem alterações|` +
			`não se mexe|não é para mexer|não mexer|não se toca|tal como está|como está|como estão|como até agora`,
		none:    `nada de|nenhum|nenhuma|sem`,
		so:      `como igual tal`,
		persist: `negativo negativa preto vazio vazia em travado travada bloqueado cinza`,
		handsOff: `não mexa em|não mexa no|não mexa na|não mexa|não toque em|não toque no|não toque na|não toque|` +
			`não mude|não altere|mantenha|mantém|manter|deixe|sem mexer em|sem mexer no|sem mexer na|sem mexer|sem mudar|sem alterar`,
		wrong: `não funciona|não funcionam|não carrega|não aparece|não aparecem|não abre|erro|falha|falham|trava|` +
			`quebrado|quebrada|bug|não dá|não consigo|errado|errada|some|sumiu|lento|lenta|duplicado|falta|não salva|` +
			`não responde|nada acontece|não acontece nada|não faz nada|não encontra|em branco`,
		wish:    `preciso|precisamos|quero|queremos|gostaria|gostaríamos|queria|seria bom|seria ótimo|seria legal`,
		must:    `deve|devem|deveria|deveriam|tem que|têm que|precisa ser|precisam ser`,
		removal: `pode sair|pode sumir|não precisa mais`,
		join:    `e mas também`,
		also:    `também além`,
		polite:  `por favor também pode poderia podes é preciso além disso`,
		article: `um uma uns umas novo nova`,
	},
	"it": {
		add: `aggiungi aggiungere aggiunga implementa implementare mostra mostrare permetti permettere salva
			salvare esporta esportare invia inviare includi includere traduci documenta inserisci inserire`,
		modify: `cambia cambiare cambi modifica modificare rinomina rinominare sostituisci sostituire sposta spostare
			aggiorna aggiornare converti convertire migra ordina ordinare metti mettere rendi rendere usa usare
			aumenta aumentare riduci ridurre rifattorizza nascondi`,
		fix:    `correggi correggere corregga ripara riparare sistema sistemare risolvi risolvere aggiusta aggiustare`,
		remove: `rimuovi rimuovere elimina eliminare cancella cancellare togli togliere leva`,
		create: `crea creare costruisci costruire sviluppa sviluppare scrivi scrivere genera generare`,
		keep: `resta|restano|rimane|rimangono|deve restare|devono restare|deve rimanere|non deve cambiare|` +
			`non devono cambiare|invariato|invariata|invariati|non va toccato|non va toccata|non vanno toccate|` +
			`non vanno toccati|non si tocca|non si toccano|non toccarlo|non toccarla|non toccatelo|non toccatela|` +
			`così com'è|così come sono|come è adesso`,
		none:    `niente|nessun|nessuna|senza`,
		so:      `come così`,
		persist: `vuoto vuota bianco bloccato bloccata nero negativo`,
		handsOff: `non toccare|non modificare|non cambiare|mantieni|mantenere|lascia|lasciare|senza toccare|` +
			`senza cambiare|senza modificare`,
		wrong: `non funziona|non funzionano|non si apre|non si vede|non appare|non carica|non si carica|errore|` +
			`si blocca|va in crash|rotto|rotta|bug|non va|sbagliato|sbagliata|sparisce|lento|lenta|doppio|manca|` +
			`fallisce|non riesco|non salva|non succede nulla|non succede niente|non fa niente|non trova|in bianco|pagina bianca`,
		wish: `vorrei|vorremmo|voglio|vogliamo|ci serve|mi serve|ci servirebbe|abbiamo bisogno|ho bisogno|` +
			`sarebbe bello|sarebbe utile|mi piacerebbe`,
		must:    `deve|devono|dovrebbe|dovrebbero`,
		removal: `può sparire|si può togliere|va tolto|va tolta`,
		join:    `e ed ma poi`,
		also:    `anche inoltre pure`,
		polite:  `per favore anche puoi potresti potete bisogna inoltre poter`,
		article: `un una uno dei delle nuovo nuova due`,
	},
	"nl": {
		add: `voeg toevoegen toon tonen implementeer implementeren bouw inbouwen exporteer exporteren stuur sturen
			schrijf ondersteun documenteer meesturen`,
		modify: `verander veranderen wijzig wijzigen hernoem hernoemen vervang vervangen verplaats verplaatsen maak
			maken zet zetten gebruik gebruiken sorteer sorteren vergroot verklein verhoog verlaag splits aanpassen
			update updaten upgrade vertaal migreer verberg`,
		fix:    `repareer repareren herstel herstellen corrigeer verhelp los oplossen fix`,
		remove: `verwijder verwijderen haal weghalen schrap wis wissen gooi`,
		create: `maak bouw ontwikkel schrijf creëer genereer`,
		keep: `blijft|blijven|moet blijven|moeten blijven|mag niet veranderen|mogen niet veranderen|ongewijzigd|` +
			`niet aanraken|niet wijzigen|niet aanpassen|niet aangeraakt|afblijven|ongemoeid|zoals het is|zoals ze zijn|zoals nu`,
		none:     `geen|zonder`,
		so:       `zoals precies`,
		persist:  `leeg zwart wit hangen staan grijs zichtbaar`,
		handsOff: `laat|blijf af van|blijf van|kom niet aan|behoud|zonder|raak niet`,
		wrong: `werkt niet|werken niet|doet het niet|kapot|fout|foutmelding|crasht|loopt vast|hangt|verdwijnt|` +
			`verdwijnen|dubbel|leeg|lege|traag|ontbreekt|bug|niet meer|verkeerd|verkeerde|gebeurt er niets|typfout|kan niet|kunnen niet`,
		wish: `we willen|ik wil|we hebben nodig|graag|kunnen we|kan ik|zou fijn zijn|zou mooi zijn|hebben we nodig|` +
			`ik zou graag|we zouden graag`,
		must:    `moet|moeten|zou moeten`,
		removal: `mag weg|kan weg|moet weg|mogen weg|kunnen weg`,
		join:    `en maar ook`,
		also:    `ook daarnaast bovendien tevens`,
		polite:  `alsjeblieft alstublieft aub ook kun kunt je jij u we wil wilt kan even graag nog dan zou`,
		article: `een nieuwe nieuw`,
	},
}
