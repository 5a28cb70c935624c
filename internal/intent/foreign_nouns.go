package intent

import (
	"strings"
	"sync"
)

// foreignNounTable maps nouns of other languages to the English ones used in file names.
var foreignNounTable = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(foreignNouns) {
		if english, others, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			for w := range strings.FieldsSeq(others) {
				out[w] = english
			}
		}
	}
	return out
})

const foreignNouns = `queue: warteschlange wachtrij cola file
basket: warenkorb winkelwagen winkelmand panier carrito carrello cesta
checkout: bezahlen kasse bezahlung afrekenen paiement pago pagamento
invoice: rechnung rechnungen factuur facturen facture factures factura facturas fattura fatture fatura
receipt: quittung quittungen beleg reçu recibo ricevuta bon
reminder: erinnerung erinnerungen rappel rappels recordatorio recordatorios promemoria herinnering herinneringen
filter: filtre filtres filtro filtros filtri
map: karte kaart carte mapa mappa
contact: kontakt kontaktformular contacto contatto contactformulier
form: formular formulier formulaire formulario modulo
seat: sitzplatz sitzplätze stoel stoelen siège sièges asiento asientos posto posti
search: suche suchfeld zoekveld zoeken recherche búsqueda buscador ricerca busca pesquisa
settings: einstellungen instellingen paramètres réglages ajustes configuración impostazioni configurações
calendar: kalender agenda calendrier calendario calendário
appointment: termin termine afspraak afspraken rendez-vous cita citas appuntamento
order: bestellung bestellungen bestelling bestellingen commande commandes pedido pedidos ordine ordini
customer: kunde kunden klant klanten client clients cliente clientes clienti
player: spieler speler joueur jugador giocatore audiospeler
menu: menü menú
export: exportación exportation esportazione
image: bild bilder afbeelding afbeeldingen imagen imágenes immagine immagini
photo: fotos foto's
language: sprache sprachen taal talen langue langues idioma idiomas lingua lingue
password: passwort wachtwoord contraseña senha
login: anmeldung anmelden inloggen connexion accesso
tile: stein steine kachel kacheln tegel tegels
report: bericht berichte rapport rapports informe informes relatorio relatório rapporto
ticket: eintrittskarte eintrittskarten billet billets entrada entradas boleto biglietto biglietti
booking: buchung buchungen reservierung boeking reservering réservation reserva reservas prenotazione
recipe: rezept rezepte recept recepten recette recettes receta recetas ricetta ricette
`
